/**
 * A read that was already made is answered from its earlier observation, as long as nothing came
 * between that could have changed the answer: no call with an effect, no failed call.
 */

import type { PendingCall, Reusable, State } from '../model/state.js';

/** How many earlier reads are remembered. Old ones are simply made again. */
const remembered = 256;

export function earlierRead(state: State, key: string): Reusable | null {
  return state.reusable.find((entry) => entry.key === key) ?? null;
}

/** What may be reused after a step's calls have all ended. */
export function reusableAfter(state: State, calls: readonly PendingCall[]): readonly Reusable[] {
  const onlyGoodReads = calls.every((call) => call.effects === 'read' && call.progress === 'ok');
  if (!onlyGoodReads) return [];
  const fresh = calls
    .filter((call) => call.reusable)
    .map((call): Reusable => ({ key: call.key, call: call.id, bytes: call.bytes }));
  // None of them stands there already: it would have been answered from there.
  const tooMany = Math.max(0, state.reusable.length + fresh.length - remembered);
  return state.reusable.slice(tooMany).concat(fresh.slice(-remembered));
}
