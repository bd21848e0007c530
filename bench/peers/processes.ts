/** What processes and all their children use, as Linux counts it. */

import { readdirSync, readFileSync } from 'node:fs';
import { sum } from '../repeat.js';

/** Linux counts in hundredths of a second, on each machine that Node supports. */
const msPerTick = 10;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** With its ended children. */
  readonly ticks: number;
}

/** CPU time of processes and their children so far, living or ended, user and system. */
export function readCpuMs(roots: readonly number[]): number {
  return sum(descend(roots).map(({ ticks }) => ticks)) * msPerTick;
}

/** Memory of processes and their children now: what several share is divided among them. */
export function readMemoryMb(roots: readonly number[]): number {
  const kb = descend(roots).map(({ pid }) => {
    const text = tryRead(`/proc/${pid}/smaps_rollup`);
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0);
  });
  return sum(kb) / 1_024;
}

function descend(roots: readonly number[]): readonly ProcessStat[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)));
  const found = all.filter(({ pid }) => roots.includes(pid));
  for (const { pid } of found) {
    found.push(...all.filter((each) => each.parent === pid && !found.includes(each)));
  }
  return found;
}

function readStat(pid: number): readonly ProcessStat[] {
  const text = tryRead(`/proc/${pid}/stat`);
  // The name of the program is in parentheses, and may have spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const parent = Number(fields[1]);
  const ticks = sum(fields.slice(11, 15).map(Number));
  return text === '' ? [] : [{ pid, parent, ticks }];
}

/** Empty if the process has ended. */
function tryRead(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
