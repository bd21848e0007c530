/** Filters the entries of a chain by kind, time and text, and limits long chains to the newest steps. */

import type { StepKind } from '../../core/view/reasoning.js';
import { type ReasoningView, type StepView, toSearchText } from '../../core/view/reasoning-view.js';
import { UsageError } from './usage-error.js';
import { parseTime, parseWholeNumber } from './values.js';

export interface StepFilterFlags {
  readonly type?: string;
  readonly since?: string;
  readonly search?: string;
  readonly last?: string;
  readonly all?: boolean;
}

export interface StepFilter {
  readonly kinds: ReadonlySet<StepKind> | null;
  /** Milliseconds since 1970. */
  readonly since: number | null;
  /** In lower case. */
  readonly search: string | null;
  /** Number of newest steps; null if no flag was given. */
  readonly last: number | 'all' | null;
}

const stepKinds: readonly StepKind[] = ['thinking', 'tool_call', 'approval', 'tool_result', 'synthesis', 'notice'];

/** @throws UsageError with the invalid option */
export function parseStepFilter({ type, since, search, last, all }: StepFilterFlags, now: number): StepFilter {
  if (all && last !== undefined) throw new UsageError('--all and --last cannot be combined.');
  return {
    kinds: type === undefined ? null : new Set(type.split(',').map(parseKind)),
    since: since === undefined ? null : parseTime(since, now),
    search: search === undefined ? null : search.toLowerCase(),
    last: all ? 'all' : last === undefined ? null : parseWholeNumber('--last', last),
  };
}

function parseKind(written: string): StepKind {
  const kind = stepKinds.find((each) => each === written.trim());
  if (kind === undefined)
    throw new UsageError(`Invalid --type ${written}. Write one or more of ${stepKinds.join(', ')}.`);
  return kind;
}

/** Returns the matching entries. A hidden entry has no text and no time, so that filters do not reveal it. */
export function filterSteps(steps: ReasoningView['steps'], { kinds, since, search }: StepFilter): readonly StepView[] {
  return steps.filter(
    (step) =>
      (kinds === null || kinds.has(step.kind)) &&
      (since === null || (step.level !== 'hidden' && step.at >= since)) &&
      (search === null || toSearchText(step).toLowerCase().includes(search)),
  );
}

export interface NewestSteps {
  readonly steps: readonly StepView[];
  /** Number of omitted steps. */
  readonly older: number;
}

/** Returns the newest steps. Counts steps, not entries, so that parallel calls stay together. */
export function takeNewest(steps: readonly StepView[], most: number | 'all'): NewestSteps {
  const numbers = [...new Set(steps.map(({ number }) => number))];
  if (most === 'all' || numbers.length <= most) return { steps, older: 0 };
  const first = numbers.slice(-most)[0] ?? 0;
  return { steps: steps.filter(({ number }) => number >= first), older: numbers.length - most };
}
