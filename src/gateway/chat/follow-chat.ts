/** Follows a chain as the parts of a chat, until it ends or waits for the caller. */

import {
  type ChainHandle,
  type EventPosition,
  type ReadingClient,
  readChainState,
  resolveChainSource,
} from '../../client/index.js';
import { listOpenRequests, type OpenRequest } from '../../core/engine/index.js';
import type { Viewer, VisibilityConfig } from '../../core/view/index.js';
import { ChainReader } from './chain-reader.js';
import type { ChatPart } from './chat-part.js';
import { type Decider, listDecidable } from './decidable.js';

type Position = Pick<EventPosition, 'runId' | 'eventId'>;

/** The open requests of a chain, as of the last event of its history. */
export interface OpenRequests extends Position {
  readonly requests: readonly OpenRequest[];
}

export interface FollowChatOptions {
  readonly chain: Pick<ChainHandle, 'watch'>;
  /** Reads the history of the last run. */
  readonly readRequests: () => Promise<OpenRequests>;
  /** For whom the chain runs. */
  readonly user: string | null;
  readonly viewer: Viewer;
  readonly visibility: VisibilityConfig;
  readonly decider: Decider;
  /** Requests that the caller has just decided, see `toRequestKey`: the chain may not have taken the decision yet. */
  readonly decidedKeys: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** Equal calls have equal digests, so a request is the call and the digest. */
export function toRequestKey({ call, digest }: { readonly call: string; readonly digest: string }): string {
  return `${call}:${digest}`;
}

/**
 * Yields the parts of each event, from the start of the chain. The last one is `suspended` or `ended`.
 *
 * While only other people may decide what the chain waits for, it stays open.
 */
export async function* followChat({
  chain,
  readRequests,
  user,
  viewer,
  visibility,
  decider,
  decidedKeys,
  signal,
}: FollowChatOptions): AsyncGenerator<readonly ChatPart[], void> {
  const reader = new ChainReader();
  const listOpen = createRequestCache(readRequests);
  const live = { tokens: true, interim: true, children: true, turns: true };
  for await (const event of chain.watch(viewer, { visibility, signal, ...live })) {
    const parts = reader.read(event);
    if (parts.length > 0) yield parts;
    if (event.type !== 'turn-completed' || !event.awaitsPeople) continue;
    const waiting = reader.listWaiting();
    if (waiting.length === 0) continue;
    const requests = listDecidable(await listOpen(event), waiting, decider, user).filter(
      (request) => !decidedKeys.has(toRequestKey(request)),
    );
    if (requests.length === 0) continue;
    yield requests.map((request) => ({ type: 'requested', request }));
    return yield [{ type: 'suspended', cost: reader.getCost(), requests }];
  }
}

/** Reads the open requests again only for a turn that the last read did not reach: a stream begins with all past turns. */
function createRequestCache(
  readRequests: FollowChatOptions['readRequests'],
): (turn: Position) => Promise<readonly OpenRequest[]> {
  let last: OpenRequests | null = null;
  /** The run of the turn for which it was read. If the chain was in a later run by then, all turns of this one were past. */
  let askedRunId = '';
  return async (turn) => {
    const isPast =
      last !== null && (turn.runId === last.runId ? turn.eventId <= last.eventId : turn.runId === askedRunId);
    if (last === null || !isPast) {
      last = await readRequests();
      askedRunId = turn.runId;
    }
    return last.requests;
  };
}

export async function readOpenRequests(client: ReadingClient, chainId: string): Promise<OpenRequests> {
  const { state, closed, runId, eventId } = await readChainState(await resolveChainSource(client, chainId));
  return { requests: closed === null ? listOpenRequests(state, Date.now()) : [], runId, eventId };
}
