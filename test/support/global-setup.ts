/** What the tests on a real Temporal server share: one dev server and one workflow bundle per run. */

import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startDevServer } from '../../src/cli/dev-server.js';
import { searchAttributes } from '../../src/contract/search-attributes.js';
import { buildWorkflowBundle } from '../../src/worker/bundle.js';

declare module 'vitest' {
  export interface ProvidedContext {
    temporalAddress: string;
    /** Null while there are no workflows. */
    workflowBundlePath: string | null;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-bundle-'));
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const [server, bundle] = await Promise.all([
    startDevServer({ headless: true, searchAttributes, say }),
    writeBundle(join(folder, 'workflows.js')),
  ]);
  project.provide('temporalAddress', server.address);
  project.provide('workflowBundlePath', bundle);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

async function writeBundle(path: string): Promise<string | null> {
  if (!existsSync(new URL('../../src/workflows/index.ts', import.meta.url))) return null;
  await writeFile(path, await buildWorkflowBundle());
  return path;
}
