/**
 * Finds the chains of a thread. The list lags by some tenths of a second, so the usual ids of later chains are tried as well:
 * the server knows immediately which ids exist. A chain whose id the caller chose is found by the list alone.
 */

import {
  compareMembers,
  findThreadId,
  getThreadNumber,
  isInSameThread,
  isLaterInThread,
  isThreadRef,
  toThreadChainId,
} from '../../core/model/index.js';
import { ChainNotFoundError, InvalidInputError } from '../errors/errors.js';
import type { RecordedHistory } from './recorded-chain.js';
import { type ThreadSource, toThreadMember } from './thread-source.js';

export interface ThreadEnd {
  /** The chain that was named; where it is gone, the last one. */
  readonly named: RecordedHistory;
  readonly last: RecordedHistory;
  /** A free id for the next chain; null for a sub-chain, which is in no thread. */
  readonly nextId: string | null;
}

/** Options of a caller that serves several tenants. */
export interface ThreadTenant {
  /** The tenant of the thread; any other is an error. */
  readonly tenant?: string | undefined;
}

/** Whose chain it is, for a caller that may not continue each chain of a thread. */
export interface OwnedChain {
  readonly chainId: string;
  readonly tenant: string | null;
  readonly user: string | null;
}

export interface ThreadEndOptions extends ThreadTenant {
  /** Whether a chain may be continued; the others are omitted. Default: all. */
  readonly reaches?: ((chain: OwnedChain) => boolean) | undefined;
}

/**
 * Reads the last chain of a chain's thread.
 *
 * @throws {ChainNotFoundError} {ErasedChainError}
 * @throws {InvalidInputError} when the thread is another tenant's
 */
export async function readThreadEnd(
  source: ThreadSource,
  chainId: string,
  { tenant, reaches = () => true }: ThreadEndOptions = {},
): Promise<ThreadEnd> {
  const isReached = ({ chainId: id, chain: { state } }: RecordedHistory) =>
    reaches({ chainId: id, tenant: state.input?.tenant ?? null, user: state.input?.user ?? null });
  const named = await readNamed(
    source,
    chainId,
    (candidate) => isReached(candidate) && (tenant === undefined || candidate.chain.state.input?.tenant === tenant),
  );
  checkTenant(named, tenant);
  if (!isReached(named)) throw new ChainNotFoundError(chainId);
  const thread = findThreadId(toThreadMember(named));
  if (thread === null) return { named, last: named, nextId: null };
  let last = await findNewest(source, thread, named, isReached);
  for (let number = getNumber(last) + 1; ; number++) {
    const id = toThreadChainId(thread, number);
    const next = await source.read(id);
    if (next.kind === 'missing') return { named, last, nextId: id };
    // An id may be taken by a chain that is erased, or of another thread.
    if (next.kind !== 'found' || !isReached(next.recorded)) continue;
    if (isLaterInThread(toThreadMember(next.recorded), toThreadMember(last))) last = next.recorded;
  }
}

/** Reads all chains of a chain's thread that are left, oldest first. @throws as `readThreadEnd` */
export async function readThread(
  source: ThreadSource,
  chainId: string,
  options: ThreadTenant = {},
): Promise<readonly RecordedHistory[]> {
  const { named, last, nextId } = await readThreadEnd(source, chainId, options);
  const members = new Map([named, last].map((member) => [member.chainId, member]));
  const thread = findThreadId(toThreadMember(last));
  if (nextId === null || thread === null) return [last];
  let first = last;
  for (
    let previous = await readPrevious(source, first);
    previous !== null;
    previous = await readPrevious(source, first)
  ) {
    first = previous;
    members.set(first.chainId, first);
  }
  const ends = [first, last].map(toThreadMember);
  for (const id of await source.list(thread)) {
    const member = members.has(id) ? null : await readFound(source, id);
    if (member !== null && ends.every((end) => isInSameThread(toThreadMember(member), end))) members.set(id, member);
  }
  return [...members.values()].sort((a, b) => compareMembers(toThreadMember(a), toThreadMember(b)));
}

/** A thread has its id from its first chain, which may be gone: its newest chain is read instead. */
async function readNamed(
  source: ThreadSource,
  chainId: string,
  isWanted: (chain: RecordedHistory) => boolean,
): Promise<RecordedHistory> {
  const read = await source.read(chainId);
  if (read.kind === 'found') return read.recorded;
  for (const id of await source.list(chainId)) {
    const candidate = id === chainId ? null : await readFound(source, id);
    if (candidate === null || findThreadId(toThreadMember(candidate)) !== chainId) continue;
    if (isWanted(candidate)) return candidate;
  }
  throw read.error;
}

function checkTenant({ chainId, chain }: RecordedHistory, tenant: string | undefined): void {
  if (tenant === undefined || tenant === chain.state.input?.tenant) return;
  throw new InvalidInputError(
    `Chain ${chainId} is no chain of tenant ${tenant}. Pass the tenant of the chain, or start a new chain.`,
  );
}

/** Returns the newest listed chain of the thread after a chain; that chain if it is the newest. */
async function findNewest(
  source: ThreadSource,
  thread: string,
  recordedChain: RecordedHistory,
  isReached: (chain: RecordedHistory) => boolean,
): Promise<RecordedHistory> {
  for (const id of await source.list(thread)) {
    // The others started before it.
    if (id === recordedChain.chainId) return recordedChain;
    const candidate = await readFound(source, id);
    if (candidate === null || !isReached(candidate)) continue;
    if (isLaterInThread(toThreadMember(candidate), toThreadMember(recordedChain))) return candidate;
  }
  return recordedChain;
}

async function readPrevious(source: ThreadSource, next: RecordedHistory): Promise<RecordedHistory | null> {
  const thread: unknown = next.chain.state.input?.thread;
  const previous = isThreadRef(thread) ? await readFound(source, thread.follows) : null;
  return previous !== null && isLaterInThread(toThreadMember(next), toThreadMember(previous)) ? previous : null;
}

async function readFound(source: ThreadSource, chainId: string): Promise<RecordedHistory | null> {
  const read = await source.read(chainId);
  return read.kind === 'found' ? read.recorded : null;
}

function getNumber({ chain }: RecordedHistory): number {
  return getThreadNumber(chain.state.input);
}
