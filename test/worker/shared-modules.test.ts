/** All workflows of a worker share the modules of the core and of the contract, and none of the SDK's that keep a workflow's state. */

import { expect, it } from 'vitest';
import * as worker from '../../src/worker/bundle.js';
import { computeCachedWorkflows } from '../../src/worker/cached-workflows.js';

const megabyte = 1024 * 1024;
const built = new URL('../../dist/src/worker/bundle.js', import.meta.url).href;

it.each([
  ['source', worker.buildWorkflowBundle],
  // The bundle of the build has no comments, which name its modules: it is made again.
  ['the build', async () => ((await import(/* @vite-ignore */ built)) as typeof worker).buildWorkflowBundle()],
])('no module of the core or the contract is loaded for each workflow: from %s', async (_from, load) => {
  const [, ...parts] = (await load()).split(/^\/\*{3}\/ "([^"]+)"\s*$/m);
  const bodies = new Map(parts.flatMap((id, at) => (at % 2 === 0 ? [[id, parts[at + 1] ?? ''] as const] : [])));
  const ids = [...bodies.keys()];
  const root = ids.find((id) => /\/src\/workflows\/shared-modules\.[jt]s$/.test(id)) ?? 'missing';
  const shared = new Set<string>();
  const add = (id: string): void => {
    if (shared.has(id)) return;
    shared.add(id);
    for (const [, imported = ''] of (bodies.get(id) ?? '').matchAll(
      /__webpack_require__\(\/\*![^*]*\*\/ ?"([^"]+)"\)/g,
    )) {
      add(imported);
    }
  };
  add(root);

  // A chunk of the build names the sources of its code.
  const listSources = (id: string) => [id, ...[...(bodies.get(id) ?? '').matchAll(/^\/\/ (src\/\S+)$/gm)].map(String)];
  const listPure = (id: string) => listSources(id).filter((source) => /src\/(core|contract)\//.test(source));
  expect(ids.flatMap(listPure).length).toBeGreaterThan(100);
  expect(ids.filter((id) => !shared.has(id)).flatMap(listPure)).toEqual([]);
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
