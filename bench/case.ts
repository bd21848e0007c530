/** A case of the benchmark: what it measures, how much of it, how its rows read and what they must look like. */

import { type Expected, implausible } from './plausible.js';
import { type Columns, table } from './report.js';
import type { Rig } from './rig/rig.js';

export interface CaseOptions {
  readonly rig: Rig;
  /** Called with a line for each measurement, as it is made. */
  readonly progress: (line: string) => void;
}

/** @typeParam R a row @typeParam S how much is measured */
export interface Case<R extends object, S> {
  readonly full: S;
  /** Takes seconds and measures nothing worth knowing: it proves that the case still works. */
  readonly smoke: S;
  readonly measure: (options: CaseOptions, size: S) => Promise<readonly R[]>;
  readonly columns: Columns<R>;
  /** What the rows mean, in sentences. */
  readonly findings: (rows: readonly R[], size: S) => readonly string[];
  readonly expected: (size: S) => readonly Expected<R>[];
  /** What cannot be, though each column by itself can. */
  readonly contradictions: (rows: readonly R[]) => readonly string[];
  /** Which required values the rows miss. Absent where none is required. */
  readonly misses?: (rows: readonly R[], size: S) => readonly string[];
}

export interface Measured {
  readonly rows: readonly object[];
  /** The table and the findings. */
  readonly lines: readonly string[];
  /** Why the rows cannot be believed; empty if they can. */
  readonly problems: readonly string[];
  /** Required values that believable rows miss. */
  readonly misses: readonly string[];
}

export type Scale = 'full' | 'smoke';

/** Hides the type of the rows, so that different cases can be run alike. */
export function runnable<R extends object, S>(each: Case<R, S>) {
  return async (options: CaseOptions, scale: Scale): Promise<Measured> => {
    const rows = await each.measure(options, each[scale]);
    const lines = [table(each.columns, rows), '', ...each.findings(rows, each[scale])];
    const problems = problemsIn(each, rows, scale);
    return { rows, lines, problems, misses: problems.length > 0 ? [] : missesIn(each, rows, scale) };
  };
}

export function missesIn<R extends object, S>(each: Case<R, S>, rows: readonly R[], scale: Scale): readonly string[] {
  return each.misses?.(rows, each[scale]) ?? [];
}

export function problemsIn<R extends object, S>(each: Case<R, S>, rows: readonly R[], scale: Scale): readonly string[] {
  const wrong = implausible(rows, each.expected(each[scale]));
  // Findings of implausible rows add nothing.
  if (wrong.length > 0) return wrong;
  const findings = each.findings(rows, each[scale]);
  const missing = findings.length === 0 ? ['There are no findings.'] : [];
  const broken = findings.filter((line) => /NaN|Infinity|undefined|null/.test(line));
  return [...each.contradictions(rows), ...missing, ...broken.map((line) => `A finding has no number: ${line}`)];
}
