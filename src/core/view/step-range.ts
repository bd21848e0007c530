/** Selects steps of a view by their numbers. */

import type { StepView } from './reasoning-view.js';

/** Numbers of steps. A part that is absent selects all. */
export interface StepRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Number of newest steps of the range. */
  readonly last?: number | undefined;
}

/** Returns what is wrong with a range; null for a valid one. */
export function findRangeProblem({ from, to, last }: StepRange): string | null {
  for (const [name, value] of Object.entries({ from, to, last })) {
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 1))
      return `${name} is ${value}; expected a whole number of at least 1`;
  }
  return from !== undefined && to !== undefined && from > to ? `from is ${from}, after to, ${to}` : null;
}

export function selectSteps(steps: readonly StepView[], range: StepRange): readonly StepView[] {
  const inside = steps.filter((step) => isInRange(step, range));
  return takeNewest(inside, range.last ?? 'all').steps;
}

export function isInRange({ number }: StepView, { from = 0, to = Number.POSITIVE_INFINITY }: StepRange): boolean {
  return number >= from && number <= to;
}

export interface NewestSteps {
  readonly steps: readonly StepView[];
  /** Number of omitted steps. */
  readonly older: number;
}

/** Returns the newest steps. Counts steps, not entries, so that parallel calls stay together. */
export function takeNewest(steps: readonly StepView[], max: number | 'all'): NewestSteps {
  const numbers = [...new Set(steps.map(({ number }) => number))];
  if (max === 'all' || numbers.length <= max) return { steps, older: 0 };
  const first = numbers.slice(-max)[0] ?? 0;
  return { steps: steps.filter(({ number }) => number >= first), older: numbers.length - max };
}
