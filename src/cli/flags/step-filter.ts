/** Filters the entries of a chain by step, kind, time and text, and limits long chains to the newest steps. */

import {
  findRangeProblem,
  isInRange,
  type ReasoningView,
  type StepKind,
  type StepRange,
  type StepView,
  toSearchText,
} from '../../core/view/index.js';
import { UsageError } from './usage-error.js';
import { parseTime, parseWholeNumber } from './values.js';

export interface StepFilterFlags {
  readonly type?: string;
  readonly since?: string;
  readonly search?: string;
  readonly from?: string;
  readonly to?: string;
  readonly last?: string;
  readonly all?: boolean;
}

export interface StepFilter {
  /** Numbers of steps. */
  readonly range: Pick<StepRange, 'from' | 'to'>;
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
export function parseStepFilter(flags: StepFilterFlags, now: number): StepFilter {
  const { type, since, search, last, all } = flags;
  if (all && last !== undefined) throw new UsageError('--all and --last cannot be combined.');
  return {
    range: parseRange(flags),
    kinds: type === undefined ? null : new Set(type.split(',').map(parseKind)),
    since: since === undefined ? null : parseTime(since, now),
    search: search === undefined ? null : search.toLowerCase(),
    last: all ? 'all' : last === undefined ? null : parseWholeNumber('--last', last),
  };
}

function parseRange({ from, to }: StepFilterFlags): StepFilter['range'] {
  const range = {
    ...(from === undefined ? {} : { from: parseWholeNumber('--from', from) }),
    ...(to === undefined ? {} : { to: parseWholeNumber('--to', to) }),
  };
  if (findRangeProblem(range) !== null)
    throw new UsageError(`Invalid --from ${from} --to ${to}: --from is after --to.`);
  return range;
}

function parseKind(text: string): StepKind {
  const kind = stepKinds.find((stepKind) => stepKind === text.trim());
  if (kind === undefined) throw new UsageError(`Invalid --type ${text}. Write one or more of ${stepKinds.join(', ')}.`);
  return kind;
}

/** Returns the matching entries. A hidden entry has no text and no time, so that filters do not reveal it. */
export function filterSteps(
  steps: ReasoningView['steps'],
  { range, kinds, since, search }: StepFilter,
): readonly StepView[] {
  return steps.filter(
    (step) =>
      isInRange(step, range) &&
      (kinds === null || kinds.has(step.kind)) &&
      (since === null || (step.level !== 'hidden' && step.at >= since)) &&
      (search === null || toSearchText(step).toLowerCase().includes(search)),
  );
}
