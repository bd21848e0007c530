/**
 * Which chains belong to one thread. The id alone proves nothing: ids are used again after their chains are gone, and anybody
 * can start a workflow with any input.
 */

import { findThreadId, getThreadNumber, type ThreadPlace } from './thread.js';

export interface ThreadMember extends ThreadPlace {
  readonly input: (NonNullable<ThreadPlace['input']> & { readonly tenant: string | null }) | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** Whether two chains are in one thread: same id, same tenant, and started in the order of their numbers. */
export function isInSameThread(a: ThreadMember, b: ThreadMember): boolean {
  const id = findThreadId(a);
  if (id === null || id !== findThreadId(b) || a.input?.tenant !== b.input?.tenant) return false;
  return compareNumbers(a, b) * (a.startedAt - b.startedAt) >= 0;
}

/** Whether the first chain is in the thread of the second one, and after it. */
export function isLaterInThread(a: ThreadMember, b: ThreadMember): boolean {
  return compareNumbers(a, b) > 0 && isInSameThread(a, b);
}

/** Compares by place; of chains with the same one, the one that started first is first. */
export function compareMembers(a: ThreadMember, b: ThreadMember): number {
  return compareNumbers(a, b) || a.startedAt - b.startedAt;
}

/** Whether an id has the form of a follow-up's usual id: `chat-7~2`. */
export function isThreadChainId(chainId: string): boolean {
  return /~\d+$/.test(chainId);
}

function compareNumbers(a: ThreadMember, b: ThreadMember): number {
  return getThreadNumber(a.input) - getThreadNumber(b.input);
}
