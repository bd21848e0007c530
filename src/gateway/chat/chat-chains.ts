/** Finds the chains of a chat. Their ids are computed, so the server knows at once which of them exist. */

import type { ChainDescription } from '../../client/handle.js';
import { isLonghandError } from '../../core/lib/errors.js';
import type { ReachedChain, RequestContext } from '../request/context.js';
import { findChainNumber, toChainId } from './chat-ids.js';

export interface ChatChain extends ReachedChain {
  readonly number: number;
}

type Reach = Pick<RequestContext, 'reach'>;

/** Most chains of a chat. */
const maxChains = 100_000;

/** Returns a chain of the chat; null where it does not exist or is out of reach. */
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
 * Returns the newest chain of a chat; null for a chat without one. Numbers have no gaps, so their end is found by doubling and
 * halving.
 *
 * @param known a number that exists, if one is known
 */
export async function findNewestChain(context: Reach, firstId: string, known = 0): Promise<ChatChain | null> {
  const find = (number: number) => findChatChain(context, firstId, toChainId(firstId, number));
  let newest: ChatChain | null = known === 0 ? null : await find(known);
  let low = newest === null ? 0 : known;
  let high = low + 1;
  for (let step = 1; high <= maxChains; step *= 2) {
    const found = await find(high);
    if (found === null) break;
    [newest, low, high] = [found, high, high + step];
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const found = await find(middle);
    if (found === null) high = middle;
    else [newest, low] = [found, middle];
  }
  return newest;
}

export interface DescribedChain extends ChatChain {
  readonly described: ChainDescription;
}

export async function describeChatChain(chain: ChatChain): Promise<DescribedChain> {
  return { ...chain, described: await chain.handle.describe() };
}

/** Returns the id of the chain before this one in the conversation; null for the first. A fork has that of its origin. */
export async function findPredecessor(
  context: Reach,
  firstId: string,
  { described }: Pick<DescribedChain, 'described'>,
): Promise<string | null> {
  const { input } = described.chain.state;
  if (input?.thread !== undefined) return input.thread.follows;
  if (input?.origin === undefined) return null;
  const origin = await findChatChain(context, firstId, input.origin.chainId);
  return origin === null ? null : findPredecessor(context, firstId, await describeChatChain(origin));
}
