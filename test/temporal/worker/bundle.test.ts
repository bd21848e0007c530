/** The real bundler accepts the workflows, and the bundle contains only permitted modules (wall of the bundle). */

import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { getWorkflowBundlePath } from '../../support/temporal.js';

/** Built once per run. */
let code = '';
beforeAll(() => {
  code = readFileSync(getWorkflowBundlePath(), 'utf8');
});

it('the bundle contains only the pure rooms and the packages that they need', () => {
  // Webpack heads each module with its path.
  const modules = [...code.matchAll(/^\/\*\*\*\/ "\.?\/?([^"]+)"/gm)].map((match) => match[1] as string);
  const packages = modules.flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(path)?.[1] ?? [],
  );
  const layers = modules.flatMap((path) => /^src\/([^/]+)\//.exec(path)?.[1] ?? []);

  expect([...new Set(packages)].sort()).toEqual([
    '@cfworker/json-schema',
    '@noble/hashes',
    '@scure/base',
    '@temporalio/common',
    '@temporalio/workflow',
    'fflate',
    'long',
    'ms',
    'nexus-rpc',
  ]);
  expect([...new Set(layers)].sort()).toEqual(['contract', 'core', 'workflows']);
});

it('the bundle keeps spread syntax, because a rewritten spread costs a call for every member', () => {
  // Compared as booleans: the text is a megabyte.
  expect([code.includes('...state'), code.includes('_object_spread')]).toEqual([true, false]);
});

it('no module exports a stateful regular expression, because the SDK freezes exports', () => {
  const source = new URL('../../../src/', import.meta.url);
  const exported = ['core', 'contract', 'workflows'].flatMap((layer) =>
    readdirSync(new URL(layer, source), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => {
        const text = readFileSync(new URL(`${layer}/${file}`, source), 'utf8');
        const found = text.match(/^export const \w+(?:: RegExp)? =\s+(?:new RegExp\(|\/.*\/[a-z]*[gy])/gm) ?? [];
        return found.map((line) => `${layer}/${file}: ${line}`);
      }),
  );
  expect(exported).toEqual([]);
});
