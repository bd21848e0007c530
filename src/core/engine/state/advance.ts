/** The result of a rule: the next state, and the entries for readers. Functions that combine rules. */

import type { ChainState } from '../../model/index.js';
import type { ChainEntry } from './entry.js';

export interface Advance {
  readonly state: ChainState;
  readonly entries: readonly ChainEntry[];
}

export type Rule = (state: ChainState) => Advance;

/** Returns an advance: a next state with its entries. */
export function emit(state: ChainState, ...entries: readonly ChainEntry[]): Advance {
  return { state, entries };
}

/** Returns an advance of a rule that does not apply. */
export function unchanged(state: ChainState): Advance {
  return { state, entries: [] };
}

/** Applies one more rule; its entries come last. */
export function andThen({ state, entries }: Advance, rule: Rule): Advance {
  const next = rule(state);
  return entries.length === 0 ? next : { state: next.state, entries: [...entries, ...next.entries] };
}

/** Applies rules in order. */
export function applyRules(state: ChainState, rules: readonly Rule[]): Advance {
  return applyEach(state, rules, (before, rule) => rule(before));
}

/** Applies one rule to each item in order. */
export function applyEach<T>(
  before: ChainState,
  items: readonly T[],
  rule: (state: ChainState, item: T) => Advance,
): Advance {
  let state = before;
  const entries: ChainEntry[] = [];
  for (const item of items) {
    const next = rule(state, item);
    state = next.state;
    entries.push(...next.entries);
  }
  return { state, entries };
}
