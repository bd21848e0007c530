/** Compares the working tree's build with that of a commit, workload by workload. */

import { median, round } from '../repeat.js';
import { computeRatio, isDoubtful, judge, type Pair, type Verdict } from './judge.js';
import { listEntries, measureImport, type Sides, startProbes } from './measure.js';

export interface ComparedRow {
  readonly workload: string;
  /** CPU time of a unit in milliseconds: medians; null for the build that lacks the workload. */
  readonly oldMs: number | null;
  readonly newMs: number | null;
  /** New to old: the median of pairs, and the bounds of the true median. Null where only one build has the workload. */
  readonly ratio: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly pairs: number;
  readonly verdict: Verdict | 'only new' | 'only old';
}

/** Pairs of processes before the first judgement. */
const firstPairs = 5;

/** Pairs of processes for a workload that stays doubtful. */
const maxPairs = 10;

export async function compareBuilds(sides: Sides, progress: (line: string) => void): Promise<readonly ComparedRow[]> {
  const entries = split(await listEntries(sides.old), await listEntries(sides.new));
  let probed: Names | null = null;
  const measured = new Map<string, readonly Pair[]>();
  const add = (name: string, pair: Pair) => void measured.set(name, [...(measured.get(name) ?? []), pair]);
  const isOpen = (name: string) => isDoubtful(computeRatio(measured.get(name) ?? []));
  for (let pair = 0; pair < maxPairs; pair += 1) {
    const settled = new Set([...measured.keys()].filter((name) => pair >= firstPairs && !isOpen(name)));
    if (pair === firstPairs) {
      const doubtful = [...measured].filter(([name]) => !settled.has(name));
      for (const [name, pairs] of doubtful) progress(`${name} is measured again: × ${toRow(name, pairs).ratio}`);
    }
    if (probed === null || probed.both.some((name) => !settled.has(name)))
      probed = await measureProbes(sides, settled, add);
    for (const entry of entries.both.filter((each) => !settled.has(toImport(each))))
      add(toImport(entry), await measureImport(sides, entry));
  }
  const onlyOld = [...(probed?.onlyOld ?? []), ...entries.onlyOld.map(toImport)];
  const onlyNew = [...(probed?.onlyNew ?? []), ...entries.onlyNew.map(toImport)];
  return [
    ...[...measured].map(([name, pairs]) => toRow(name, pairs)),
    ...onlyOld.map((name) => toOnly(name, 'only old')),
    ...onlyNew.map((name) => toOnly(name, 'only new')),
  ];
}

function toImport(entry: string): string {
  return `import ${entry}`;
}

/** Measures a pair of processes, and returns the workloads that they have. */
async function measureProbes(
  sides: Sides,
  settled: ReadonlySet<string>,
  add: (name: string, pair: Pair) => void,
): Promise<Names> {
  const { listed, measure, stop } = await startProbes(sides);
  try {
    const names = split([...listed.old.keys()], [...listed.new.keys()]);
    for (const name of names.both.filter((each) => !settled.has(each))) add(name, await measure(name));
    return names;
  } finally {
    await stop();
  }
}

interface Names {
  readonly both: readonly string[];
  readonly onlyOld: readonly string[];
  readonly onlyNew: readonly string[];
}

function split(old: readonly string[], fresh: readonly string[]): Names {
  return {
    both: fresh.filter((name) => old.includes(name)),
    onlyOld: old.filter((name) => !fresh.includes(name)),
    onlyNew: fresh.filter((name) => !old.includes(name)),
  };
}

function toRow(workload: string, pairs: readonly Pair[]): ComparedRow {
  const ratio = computeRatio(pairs);
  return {
    workload,
    oldMs: round(median(pairs.map((pair) => pair.old)), 3),
    newMs: round(median(pairs.map((pair) => pair.new)), 3),
    ratio: round(ratio.median, 3),
    low: round(ratio.low, 3),
    high: round(ratio.high, 3),
    pairs: pairs.length,
    verdict: judge(ratio),
  };
}

function toOnly(workload: string, verdict: 'only old' | 'only new'): ComparedRow {
  return { workload, oldMs: null, newMs: null, ratio: null, low: null, high: null, pairs: 0, verdict };
}
