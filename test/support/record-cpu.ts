/**
 * Records what each test file costs: the CPU time of its process and of the children that ended meanwhile, on a line of the file
 * that `LONGHAND_TEST_CPU` names. `scripts/test.mjs` sets it and prints the most expensive files.
 */

import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

/** Linux counts in hundredths of a second. */
const tickMs = 10;

const file = process.env.LONGHAND_TEST_CPU;

if (file !== undefined) {
  const before = readCpuMs();
  const began = performance.now();
  afterAll(() => {
    const { testPath } = expect.getState();
    const row = { path: testPath, cpuMs: Math.round(readCpuMs() - before), ms: Math.round(performance.now() - began) };
    appendFileSync(file, `${JSON.stringify(row)}\n`);
  });
}

/** Of this process, and of its ended children where the system reports them. */
function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + readChildrenCpuMs();
}

function readChildrenCpuMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The second field is the program's name, which may have spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * tickMs;
  } catch {
    return 0;
  }
}
