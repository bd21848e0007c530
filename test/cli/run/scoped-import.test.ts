/** A module of a user shares the package, and the library of its schemas, with the process that loads it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { loadModule } from '../../../src/cli/run/load-module.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-scoped-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const entry = fileURLToPath(new URL('../../../dist/src/index.js', import.meta.url));

it('modules import one copy of the package, although each of them is loaded again', async () => {
  const module = join(folder, 'agents.mts');
  writeFileSync(
    module,
    `export { defineAgent } from '${entry}';
export { z } from '${import.meta.resolve('zod')}';
export const own = {};
`,
  );
  const [first, second] = [await loadModule(module), await loadModule(module)];
  expect(first.own).not.toBe(second.own);
  expect(first.z).toBe(second.z);
  expect(first.defineAgent).toBe(second.defineAgent);
  expect(first.defineAgent).toBe((await loadModule(entry)).defineAgent);
});
