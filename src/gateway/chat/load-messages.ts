/** Builds the messages of a chat from the histories of its chains, as a page needs them that opens the chat again. */

import { mapAll } from '../../client/index.js';
import type { ReasoningView, Viewer } from '../../core/view/index.js';
import type { UiMessage } from '../../http/index.js';
import type { RequestContext } from '../request/context.js';
import { ChainReader } from './chain-reader.js';
import {
  type ChatChain,
  type ChatSource,
  findChatChain,
  findNewestChain,
  findPredecessor,
  readStart,
} from './chat-chains.js';
import type { ChatPart } from './chat-part.js';
import { type Decider, listDecidable } from './decidable.js';
import { foldChunks } from './ui-message-fold.js';
import { toMetadata, UiEncoder } from './ui-message-stream.js';

/** Older messages are omitted. */
const maxTurns = 200;

/** Returns the chains of the conversation that ends with the newest chain, oldest first. */
export async function listConversation(context: ChatSource, firstId: string): Promise<readonly ChatChain[]> {
  const newest = await findNewestChain(context, firstId);
  const chains: ChatChain[] = [];
  for (let next = newest; next !== null && chains.length < maxTurns; ) {
    chains.unshift(next);
    const before: string | null = await findPredecessor(context, firstId, await readStart(next));
    next = before === null ? null : await findChatChain(context, firstId, before);
  }
  return chains;
}

export async function loadMessages(
  { visibility }: Pick<RequestContext, 'visibility'>,
  chains: readonly ChatChain[],
  { viewer, decider }: { readonly viewer: Viewer; readonly decider: Decider },
): Promise<readonly UiMessage[]> {
  const turns = await mapAll(chains, async (chain) => {
    const view = await chain.handle.view(viewer, visibility);
    const parts = await readParts(chain, view, decider);
    return toMessages(chain.chainId, view, parts);
  });
  return turns.flat();
}

async function readParts(chain: ChatChain, view: ReasoningView, decider: Decider): Promise<readonly ChatPart[]> {
  const reader = new ChainReader();
  const { state, tokens, costUsd, plan } = view;
  const parts = [
    ...view.steps.flatMap((step) => reader.read({ type: 'step-changed', step, state, progress: [] })),
    ...reader.read({
      type: 'turn-completed',
      state,
      awaitsPeople: false,
      tokens,
      costUsd,
      ...(plan === undefined ? {} : { plan }),
    }),
  ];
  if (view.outcome !== null) return [...parts, ...reader.read({ type: 'view-completed', view })];
  const waiting = reader.listWaiting();
  if (waiting.length === 0) return parts;
  const requests = listDecidable(await chain.handle.listRequests(), waiting, decider, chain.user);
  return [...parts, ...requests.map((request) => ({ type: 'requested', request }) as const)];
}

function toMessages(chainId: string, view: ReasoningView, parts: readonly ChatPart[]): readonly UiMessage[] {
  const encoder = new UiEncoder(chainId, 7);
  return [
    { id: `${chainId}:user`, role: 'user', parts: [{ type: 'text', text: view.task }, ...toFileParts(view)] },
    {
      id: chainId,
      role: 'assistant',
      metadata: toMetadata(chainId, view),
      parts: [...foldChunks(parts.flatMap((part) => encoder.encode(part)))],
    },
  ];
}

/** Not as `file` parts: pages use their URL as it is, and the address of a file needs the credential. */
function toFileParts({ chainId, files = [] }: ReasoningView): UiMessage['parts'] {
  return files.map(({ name, mediaType, bytes }) => ({ type: 'data-file', data: { chainId, name, mediaType, bytes } }));
}
