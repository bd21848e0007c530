/**
 * Finds or starts the chain of a chat's last message.
 *
 * 1. The same message after the same chain is the same turn: a request that is sent again joins its chain.
 * 2. A message after the chat's newest answer follows it up; after an earlier one, it begins a branch.
 * 3. To answer again is a fork before the last answer: calls that ran do not run again. Without an earlier step, nothing ran
 *    that could be kept, and the chain starts afresh.
 */

import { ChainExistsError, type ForkOptions, readContent } from '../../client/index.js';
import { countCompleteSteps } from '../../core/engine/index.js';
import { isLonghandError, omitUndefined } from '../../core/lib/index.js';
import type { Chain, ChainInput, ThreadMessage } from '../../core/model/index.js';
import type { RequestContext } from '../request/context.js';
import type { Requester } from '../request/requester.js';
import {
  type ChatChain,
  findChatChain,
  findNewestChain,
  findPredecessor,
  isRunning,
  readStart,
  type StartedChain,
} from './chat-chains.js';
import { findChainNumber, toChainId } from './chat-ids.js';
import type { ChatMessage } from './chat-message.js';

export interface ChatTurn {
  readonly agent: string;
  /** See `computeFirstChainId`. */
  readonly firstId: string;
  readonly requester: Requester;
  /** The chain of the last answer that the client shows; null for none. An id of the client's own is `unknown`. */
  readonly after: string | null | 'unknown';
  /** The user's messages after that answer, oldest first; at least one. */
  readonly messages: readonly ChatMessage[];
  /** The conversation before, for a chat that began elsewhere. */
  readonly earlier: readonly ThreadMessage[];
  /** `edit`: the last message replaces one at the same place. `regenerate`: the last message is answered again. */
  readonly intent: 'submit' | 'edit' | 'regenerate';
}

type TurnContext = Pick<RequestContext, 'longhand' | 'reach'>;

type Plan =
  | { readonly kind: 'join'; readonly chain: ChatChain }
  | {
      readonly kind: 'start';
      readonly after: ChatChain | null;
      readonly text: string;
      readonly files: ChatMessage['files'];
    }
  | { readonly kind: 'again'; readonly chain: ChatChain; readonly after: ChatChain | null };

/** Requests at the same time that want the same number. */
const maxCollisions = 20;

/** @throws {ChainRunningError} while the chain that the message follows runs */
export async function openTurn(context: TurnContext, turn: ChatTurn): Promise<ChatChain> {
  const { firstId, after } = turn;
  let known = after === null || after === 'unknown' ? 0 : (findChainNumber(firstId, after) ?? 0);
  for (let collisions = 0; ; collisions++) {
    const newest = await findNewestChain(context, firstId, known);
    const plan = await planTurn(context, turn, newest);
    if (plan.kind === 'join') return plan.chain;
    const number = Math.max(newest?.number ?? 0, known) + 1;
    const chainId = toChainId(firstId, number);
    try {
      if (await startTurn(context, turn, plan, chainId)) return { ...(await context.reach(chainId)), number };
    } catch (error) {
      if (!(error instanceof ChainExistsError)) throw error;
    }
    if (collisions >= maxCollisions) throw new ChainExistsError(chainId);
    known = number;
  }
}

async function planTurn(context: TurnContext, turn: ChatTurn, newest: ChatChain | null): Promise<Plan> {
  const { messages, intent } = turn;
  const start = (after: ChatChain | null, from = 0): Plan => ({
    kind: 'start',
    after,
    ...joinMessages(messages, from),
  });
  if (newest === null) return start(null);
  const last = await readStart(newest);
  const { text } = joinMessages(messages, 0);
  const isNewestRunning = await isRunning(context, newest);
  if (isNewestRunning && intent !== 'edit' && last.input?.task === text) return { kind: 'join', chain: newest };
  const after = await findShownChain(context, turn);
  // Without an answer of this chat, a client that sends its last message only continues the conversation.
  if (after === 'unknown') return start(newest);
  const matches = await matchMessages(context, turn, after, last);
  const match = matches.at(-1);
  if (match !== undefined && matches.length === messages.length) {
    const isNewest = match.number === newest.number;
    if (intent === 'regenerate') {
      // A chain that was followed has ended.
      if (isNewestRunning && isNewest) return { kind: 'join', chain: newest };
      return { kind: 'again', chain: match, after };
    }
    if (isNewest) return { kind: 'join', chain: newest };
    return start(after ?? newest, messages.length - 1);
  }
  if (match !== undefined) return start(match, matches.length);
  return start(after ?? (intent === 'submit' ? newest : null));
}

/** Returns the chain of the last answer that the client shows; null for none. */
async function findShownChain(
  context: TurnContext,
  { firstId, after }: ChatTurn,
): Promise<ChatChain | null | 'unknown'> {
  if (after === null || after === 'unknown') return after;
  return (await findChatChain(context, firstId, after)) ?? 'unknown';
}

/** Most chains that are compared with the messages of a client. */
const maxCompared = 200;

/**
 * Returns the chains that the first of the messages have, after a chain: those of messages whose answers failed, and of a
 * message that is sent again.
 */
async function matchMessages(
  context: TurnContext,
  { firstId, messages, intent }: ChatTurn,
  after: ChatChain | null,
  newest: StartedChain,
): Promise<readonly StartedChain[]> {
  const chains: StartedChain[] = [];
  let next = newest;
  // Only to answer again is about a message that is not the last.
  const limit = intent === 'regenerate' ? maxCompared : Math.min(messages.length, maxCompared);
  while (next.chainId !== after?.chainId) {
    if (chains.length >= limit) return [];
    chains.unshift(next);
    const before = await findPredecessor(context, firstId, next);
    if (before === null && after === null) break;
    const chain = before === null ? null : await findChatChain(context, firstId, before);
    if (chain === null) return [];
    next = await readStart(chain);
  }
  const differs = chains.findIndex(({ input }, at) => input?.task !== messages[at]?.text);
  return differs < 0 ? chains : chains.slice(0, differs);
}

function joinMessages(messages: readonly ChatMessage[], from: number): ChatMessage {
  const sent = messages.slice(from);
  return {
    text: sent.map(({ text }) => text).join('\n\n'),
    files: Object.fromEntries(sent.flatMap(({ files }) => Object.entries(files))),
  };
}

/** Returns false if the id belongs to another message that was sent at the same time. @throws {ChainExistsError} */
async function startTurn(
  context: TurnContext,
  turn: ChatTurn,
  plan: Exclude<Plan, { kind: 'join' }>,
  chainId: string,
): Promise<boolean> {
  const { requester, earlier, agent } = turn;
  const { longhand } = context;
  if (plan.kind === 'again') {
    const chain = await plan.chain.handle.read();
    const origin = plan.chain.chainId;
    if (await forkBeforeAnswer(context, chain, origin, omitUndefined({ ...requester, chainId }))) return true;
    const sent = turn.messages.at(-1)?.files ?? {};
    const files = Object.keys(sent).length > 0 ? sent : await readTaskFiles(context, origin, chain.state.input);
    return startTurn(
      context,
      turn,
      { kind: 'start', after: plan.after, text: chain.state.input?.task ?? '', files },
      chainId,
    );
  }
  const { after, text, files } = plan;
  const options = omitUndefined({
    ...requester,
    chainId,
    context: Object.keys(files).length === 0 ? undefined : files,
  });
  if (after === null) {
    await longhand.start(agent, text, { ...options, ...(earlier.length === 0 ? {} : { messages: earlier }) });
    return true;
  }
  const next = await after.handle.followUp(text, { ...options, branch: true });
  const { task } = await next.describe();
  return task === text;
}

/** Reads the files of a task: a client that has loaded the messages does not have them. */
async function readTaskFiles(
  { longhand: { archive } }: TurnContext,
  chainId: string,
  input: ChainInput | null,
): Promise<ChatMessage['files']> {
  const { files = [], origin = null } = input ?? {};
  const contents = files.map(async (file) => {
    const { bytes } = await readContent(archive, { chainId, origin }, file);
    return [file.name, bytes] as const;
  });
  return Object.fromEntries(await Promise.all(contents));
}

/** Returns false if the chain has no step to keep. */
async function forkBeforeAnswer(
  { longhand }: TurnContext,
  { steps, state }: Pick<Chain, 'steps' | 'state'>,
  origin: string,
  options: ForkOptions,
): Promise<boolean> {
  const answer = steps.findIndex((step) => step.answer !== null);
  const atStep = answer < 0 ? countCompleteSteps(state) : answer;
  if (atStep < 1) return false;
  try {
    await longhand.fork(origin, { ...options, atStep });
    return true;
  } catch (error) {
    if (isLonghandError(error) && error.code === 'fork_impossible') return false;
    throw error;
  }
}
