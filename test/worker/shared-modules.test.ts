/** All workflows of a worker share the modules of the core and of the contract, and none of the SDK's that keep a workflow's state. */

import { expect, it } from 'vitest';
import { buildWorkflowBundle } from '../../src/worker/bundle.js';
import { computeCachedWorkflows } from '../../src/worker/cached-workflows.js';

const megabyte = 1024 * 1024;

it('no module of the core or the contract is loaded for each workflow', async () => {
  const code = await buildWorkflowBundle();
  const parts = code.split(/^\/\*{3}\/ "([^"]+)"\s*$/m).slice(1);
  const imports = new Map<string, readonly string[]>();
  for (let at = 0; at < parts.length; at += 2) {
    const body = parts[at + 1] ?? '';
    imports.set(
      parts[at] ?? '',
      [...body.matchAll(/__webpack_require__\(\/\*![^*]*\*\/ ?"([^"]+)"\)/g)].map(([, id = '']) => id),
    );
  }
  const ids = [...imports.keys()];
  const root = ids.find((id) => id.endsWith('/src/workflows/shared-modules.ts')) ?? 'missing';
  const shared = new Set<string>();
  const add = (id: string): void => {
    if (shared.has(id)) return;
    shared.add(id);
    imports.get(id)?.forEach(add);
  };
  add(root);

  const pure = ids.filter((id) => /\/src\/(core|contract)\//.test(id));
  expect(pure.length).toBeGreaterThan(100);
  expect(pure.filter((id) => !shared.has(id))).toEqual([]);
  expect([...shared].filter((id) => !ids.includes(id) || id.includes('@temporalio/workflow/'))).toEqual([]);
});

it.each([
  [256, 256],
  [512, 512],
  [1_024, 1_000],
  [4_144, 1_000],
  [64, 100],
])('a heap of %i MB caches %i workflows', (heapMb, count) => {
  expect(computeCachedWorkflows(heapMb * megabyte)).toBe(count);
});
