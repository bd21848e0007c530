/**
 * Records what each test file costs: the CPU time of its process and of the children that ended meanwhile, on a line of the file
 * that `LONGHAND_TEST_CPU` names. `scripts/test.mjs` sets it and prints the most expensive files.
 */

import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

/** Plain JavaScript without types. */
interface FileCosts {
  readonly readChildrenCpuMs: () => number | null;
}

const file = process.env.LONGHAND_TEST_CPU;

if (file !== undefined) {
  const { readChildrenCpuMs } = (await import(
    new URL('../../scripts/file-costs.mjs', import.meta.url).href
  )) as FileCosts;
  /** Of this process, and of its ended children where the system reports them. */
  const readCpuMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000 + (readChildrenCpuMs() ?? 0);
  };
  const before = readCpuMs();
  const began = performance.now();
  afterAll(() => {
    const { testPath } = expect.getState();
    const row = { path: testPath, cpuMs: Math.round(readCpuMs() - before), ms: Math.round(performance.now() - began) };
    appendFileSync(file, `${JSON.stringify(row)}\n`);
  });
}
