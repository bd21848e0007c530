/** Compares the working tree's build with that of a commit, workload by workload. */

import { computeRatio, judge, type Pair, type Verdict } from './judge.js';
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
  readonly verdict: Exclude<Verdict, 'doubtful'> | 'only new' | 'only old';
}

/** Pairs of processes before the first judgement, and after each that leaves doubt. */
const pairsOfRound = 5;
const maxRounds = 3;

interface Measured {
  readonly pairs: readonly Pair[];
  readonly verdict: Verdict;
}

export async function compareBuilds(sides: Sides, progress: (line: string) => void): Promise<readonly ComparedRow[]> {
  const probed = await listProbed(sides);
  const entries = await listImports(sides);
  const measured = new Map<string, Measured>();
  for (let round = 1; round <= maxRounds; round += 1) {
    const isOpen = (name: string) => (measured.get(name)?.verdict ?? 'doubtful') === 'doubtful';
    const found = new Map<string, Pair[]>();
    for (let pair = 0; pair < pairsOfRound; pair += 1) {
      const open = probed.both.filter(isOpen);
      if (open.length > 0) await measurePair(sides, open, found);
      for (const entry of entries.both.filter((each) => isOpen(toImport(each)))) {
        add(found, toImport(entry), await measureImport(sides, entry, pair));
      }
    }
    for (const [name, pairs] of found) {
      const all = [...(measured.get(name)?.pairs ?? []), ...pairs];
      const verdict = judge(computeRatio(all), round === maxRounds);
      measured.set(name, { pairs: all, verdict });
      if (verdict === 'doubtful') progress(`${name} is measured again: ${toRow(name, all, 'kept').ratio}`);
    }
  }
  const rows = [...measured].map(([name, { pairs, verdict }]) =>
    toRow(name, pairs, verdict === 'doubtful' ? 'slower' : verdict),
  );
  const onlyOld = [...probed.onlyOld, ...entries.onlyOld.map(toImport)].map((name) => toOnly(name, 'only old'));
  const onlyNew = [...probed.onlyNew, ...entries.onlyNew.map(toImport)].map((name) => toOnly(name, 'only new'));
  return [...rows, ...onlyOld, ...onlyNew];
}

function toImport(entry: string): string {
  return `import ${entry}`;
}

function add(found: Map<string, Pair[]>, name: string, pair: Pair): void {
  found.set(name, [...(found.get(name) ?? []), pair]);
}

async function measurePair(sides: Sides, names: readonly string[], found: Map<string, Pair[]>): Promise<void> {
  const probes = await startProbes(sides);
  try {
    for (const name of names) add(found, name, await probes.measure(name));
  } finally {
    await probes.stop();
  }
}

interface Names {
  readonly both: readonly string[];
  readonly onlyOld: readonly string[];
  readonly onlyNew: readonly string[];
}

async function listProbed(sides: Sides): Promise<Names> {
  const { listed, stop } = await startProbes(sides);
  await stop();
  return split([...listed.old.keys()], [...listed.new.keys()]);
}

async function listImports(sides: Sides): Promise<Names> {
  return split(await listEntries(sides.old), await listEntries(sides.new));
}

function split(old: readonly string[], fresh: readonly string[]): Names {
  return {
    both: fresh.filter((name) => old.includes(name)),
    onlyOld: old.filter((name) => !fresh.includes(name)),
    onlyNew: fresh.filter((name) => !old.includes(name)),
  };
}

function toRow(workload: string, pairs: readonly Pair[], verdict: ComparedRow['verdict']): ComparedRow {
  const { median, low, high } = computeRatio(pairs);
  const middle = (of: (pair: Pair) => number) => [...pairs].map(of).sort((a, b) => a - b)[pairs.length >> 1] ?? 0;
  const round = (value: number) => Number(value.toFixed(3));
  return {
    workload,
    oldMs: round(middle((pair) => pair.old)),
    newMs: round(middle((pair) => pair.new)),
    ratio: round(median),
    low: round(low),
    high: round(high),
    pairs: pairs.length,
    verdict,
  };
}

function toOnly(workload: string, verdict: 'only old' | 'only new'): ComparedRow {
  return { workload, oldMs: null, newMs: null, ratio: null, low: null, high: null, pairs: 0, verdict };
}
