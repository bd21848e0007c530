/**
 * Finds the chains of a chat. Their ids are computed, so the server knows immediately which of them exist.
 *
 * The oldest ones may be gone: the server deletes chains after its retention. A chat whose first chain is missing is looked
 * up in the lists of the server and of the archive, which may lag; what they find must be within reach as well.
 */

import { createMetadataClient, type Longhand, listChainIds, readStartData } from '../../client/index.js';
import { isLonghandError } from '../../core/lib/index.js';
import type { ChainInput } from '../../core/model/index.js';
import type { ReachedChain, RequestContext } from '../request/context.js';
import { findChainNumber, toChainId } from './chat-ids.js';

export interface ChatChain extends ReachedChain {
  readonly number: number;
}

type Reach = Pick<RequestContext, 'reach'>;

export interface ChatSource extends Reach {
  readonly longhand: Pick<Longhand, 'client' | 'archive'>;
}

/** Most chains of a chat. */
const maxChains = 100_000;

/** Returns a chain of the chat; null if it does not exist or is out of reach. */
export async function findChatChain({ reach }: Reach, firstId: string, chainId: string): Promise<ChatChain | null> {
  const number = findChainNumber(firstId, chainId);
  if (number === null) return null;
  try {
    return { ...(await reach(chainId)), number };
  } catch (error) {
    if (isLonghandError(error) && (error.code === 'chain_not_found' || error.code === 'chain_erased')) return null;
    throw error;
  }
}

/**
 * Returns the newest chain of a chat; null for a chat without one.
 *
 * @param known a number that exists, if one is known
 */
export async function findNewestChain(context: ChatSource, firstId: string, known = 0): Promise<ChatChain | null> {
  const find = (number: number) => findChatChain(context, firstId, toChainId(firstId, number));
  const begin = (known > 0 ? await find(known) : null) ?? (await find(1)) ?? (await findListed(context, firstId));
  return begin === null ? null : findLast(begin, find);
}

/** Finds the last chain from one that exists. Numbers have no gaps after it, so their end is found by doubling and halving. */
async function findLast(begin: ChatChain, find: (number: number) => Promise<ChatChain | null>): Promise<ChatChain> {
  let newest = begin;
  let low = begin.number;
  let high = low + 1;
  for (let step = 1; high <= maxChains; step *= 2) {
    const chain = await find(high);
    if (chain === null) break;
    [newest, low, high] = [chain, high, high + step];
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const chain = await find(middle);
    if (chain === null) high = middle;
    else [newest, low] = [chain, middle];
  }
  return newest;
}

/** Most listed chains that are tried: a list may name chains that were deleted since, or erased. */
const maxTried = 20;

/** Returns the newest chain of a chat in the lists, for a chat whose first chain is gone. */
async function findListed(context: ChatSource, firstId: string): Promise<ChatChain | null> {
  const ids = await listChainIds(context.longhand, firstId);
  const numbers = [...ids].map((id) => findChainNumber(firstId, id)).filter((number) => number !== null);
  for (const number of numbers.toSorted((a, b) => b - a).slice(0, maxTried)) {
    const chatChain = await findChatChain(context, firstId, toChainId(firstId, number));
    if (chatChain !== null) return chatChain;
  }
  return null;
}

/** Returns whether a chain runs, by the server's description of it: its history may be long. */
export async function isRunning(
  { longhand: { client } }: Pick<RequestContext, 'longhand'>,
  { chainId, source }: ChatChain,
): Promise<boolean> {
  if (source.archivedChain !== null) return false;
  const { closeTime } = await createMetadataClient(client).getHandle(chainId).describe();
  return closeTime === undefined;
}

/** A chain with its start. */
export interface StartedChain extends ChatChain {
  /** Null if it cannot be read. */
  readonly input: ChainInput | null;
}

/** Reads the start of a chain, from its first event. The archive's list has no origins and no long tasks. */
export async function readStart(chain: ChatChain): Promise<StartedChain> {
  const { source, handle } = chain;
  if (source.archivedChain === null) return { ...chain, input: (await readStartData(source)).input };
  return { ...chain, input: (await handle.read()).state.input };
}

/** Finds the chain before this one in the conversation; null for the first. A fork has that of its origin. */
export async function findPredecessor(
  context: Reach,
  firstId: string,
  { input }: Pick<StartedChain, 'input'>,
): Promise<string | null> {
  if (input?.thread !== undefined) return input.thread.follows;
  if (input?.origin === undefined) return null;
  const origin = await findChatChain(context, firstId, input.origin.chainId);
  return origin === null ? null : findPredecessor(context, firstId, await readStart(origin));
}
