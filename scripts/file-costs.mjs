/** What the files of a test run cost: the lines that test/support/record-cpu.ts appends, sorted. */

import { readFileSync } from 'node:fs';
import { root } from './child.mjs';

const shownFiles = 10;

/** Returns the lines of a report: `{ path, cpuMs, ms }`, one for each file. */
export function parseCosts(text) {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/**
 * Returns the CPU time of the ended children of this process in milliseconds; null where the system does not report it.
 * test/support/record-cpu.ts calls it too.
 */
export function readChildrenCpuMs() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The second field is the program's name, which may have spaces. Linux counts in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return null;
  }
}

/** Formats the slowest files and the whole run. */
export function formatCosts(costs, { ms, cpuMs }) {
  const inSeconds = (value) => (value / 1_000).toFixed(1).padStart(8);
  const slowest = costs.toSorted((a, b) => b.ms - a.ms).slice(0, shownFiles);
  const rows = slowest.map((each) => `${inSeconds(each.ms)}${inSeconds(each.cpuMs)}  ${each.path.replace(root, '')}`);
  const whole = cpuMs === null ? '' : `, ${(cpuMs / 60_000).toFixed(1)} min of CPU`;
  return [
    `The slowest files in seconds: time, CPU with ended children`,
    ...rows,
    `All ${costs.length} files: ${(ms / 60_000).toFixed(1)} min${whole}`,
  ];
}
