/**
 * The canonical order of the facts that one workflow task delivers. The SDK hands them over in an order
 * of its own; this one both the workflow and a reader of the history can know, and only it is hashed:
 * the start, signals, updates, Temporal's cancel, each as they came; then results, in the order in
 * which they were scheduled.
 *
 * All that reaches a chain passes here, and is well-formed Unicode from here on: models, tools and people
 * may send lone surrogates, which databases and other programs cannot hold.
 */

import { wellFormed } from '../core/lib/json.js';
import type { Fact } from '../core/model/fact.js';

const rank = { start: 0, signal: 1, update: 2, cancel: 3, result: 4 } as const;

export interface Delivered {
  readonly kind: keyof typeof rank;
  /** As it came, or, for a result, as it was scheduled. */
  readonly order: number;
  readonly fact: (at: number) => Fact;
}

export function canonicalOrder(delivered: readonly Delivered[], at: number): readonly Fact[] {
  const sorted = [...delivered].sort((a, b) => rank[a.kind] - rank[b.kind] || a.order - b.order);
  return sorted.map(({ fact }) => wellFormed(fact(at)));
}
