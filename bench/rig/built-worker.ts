/** Workers as they are deployed: from the build, without the TypeScript loader, whose memory would be counted as theirs. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { SystemName } from './rig.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = { longhand: 'longhand-worker', 'hand-written': 'hand-written/worker' } as const;

/**
 * Writes the worker of the bench, which imports the modules of the build, beside the build.
 *
 * @returns the URL of its module
 * @throws Error without a build
 */
export async function writeBuiltWorker(system: SystemName): Promise<string> {
  if (!existsSync(`${root}dist/workflow-bundle.js`)) throw new Error('dist not found. Run `npm run build`.');
  const outfile = `${root}dist/bench/${system}-worker.mjs`;
  await build({
    entryPoints: [`${root}bench/rig/${modules[system]}.ts`],
    outfile,
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20', packages: 'external' },
    plugins: [
      {
        name: 'built-modules',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^\./ }, ({ resolveDir, path }) => {
            const file = resolve(resolveDir, path);
            const sources = `${root}src/`;
            return file.startsWith(sources) ? { path: `../src/${file.slice(sources.length)}`, external: true } : null;
          }),
      },
    ],
  });
  return pathToFileURL(outfile).href;
}
