/** What the build has to keep of the source, because code finds it by its path or by the name of a file. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ownFrame as toolFrame } from '../src/activities/tool/tool-failure.js';
import { ownFrame as loaderFrame } from '../src/cli/run/load-module.js';

const dist = fileURLToPath(new URL('../dist/src/', import.meta.url));

/** Returns the path of the built file that has the code of a source. */
function findBuilt(source: string): string {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const found = files.filter((name) => readFileSync(`${dist}${name}`, 'utf8').includes(`// src/${source}\n`));
  expect(found, source).toHaveLength(1);
  return `${dist}${found[0]}`;
}

it.each([
  ['activities/tool/run-tool.ts', toolFrame],
  ['activities/tool/execute-tool.ts', toolFrame],
  ['tools/define/define-tool.ts', toolFrame],
  ['tools/isolation/entry.ts', toolFrame],
  ['cli/run/load-module.ts', loaderFrame],
])('the stack of an error of a user ends at %s', (source, frame) => {
  expect(`    at call (${findBuilt(source)}:1:1)`).toMatch(frame);
  expect(`    at call (/src/${source}:1:1)`).toMatch(frame);
});

it('a worker bundles workflows of the user with those of the build', async () => {
  const { buildWorkflowBundle } = (await import(
    /* @vite-ignore */ `${dist}worker/bundle.js`
  )) as typeof import('../src/worker/bundle.js');
  const code = await buildWorkflowBundle({
    workflowsPath: fileURLToPath(new URL('support/own-workflows.ts', import.meta.url)),
  });
  expect(code).toMatch(/hosted-by-longhand\.js \*\/ "[^"]*own-workflows\.ts"/);
});
