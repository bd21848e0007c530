/** The result of a rule: the chain's next state, and what readers are told of the change. Rules are put together here. */

import type { ChainState } from '../model/state.js';
import type { ChainEntry } from './entry.js';

export interface Advance {
  readonly state: ChainState;
  readonly entries: readonly ChainEntry[];
}

export type Rule = (state: ChainState) => Advance;

/** A next state with the entries for it, often none. */
export function emit(state: ChainState, ...entries: readonly ChainEntry[]): Advance {
  return { state, entries };
}

/** One more rule behind what has been done: its entries come last. */
export function andThen({ state, entries }: Advance, rule: Rule): Advance {
  const next = rule(state);
  return entries.length === 0 ? next : { state: next.state, entries: [...entries, ...next.entries] };
}

/** Applies rules from first to last. */
export function applyRules(state: ChainState, rules: readonly Rule[]): Advance {
  return applyEach(state, rules, (before, rule) => rule(before));
}

/** Applies one rule to several things, one after the other. */
export function applyEach<T>(
  before: ChainState,
  things: readonly T[],
  rule: (state: ChainState, thing: T) => Advance,
): Advance {
  let state = before;
  const entries: ChainEntry[] = [];
  for (const thing of things) {
    const next = rule(state, thing);
    state = next.state;
    entries.push(...next.entries);
  }
  return { state, entries };
}
