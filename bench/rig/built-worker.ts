/** Workers as they are deployed: bundled, without the TypeScript loader, whose memory would be counted as theirs. */

import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { SystemName } from './rig.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = { longhand: 'longhand-worker', 'hand-written': 'hand-written/worker' } as const;

/**
 * Writes the worker of the bench as one module, beside the build, whose workflow bundle it loads.
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
  });
  return pathToFileURL(outfile).href;
}
