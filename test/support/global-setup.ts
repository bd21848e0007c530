/** Shared by all tests on a real Temporal server in a run: a dev server and the workflow bundles. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startDevServer } from '../../src/cli/server/dev-server.js';
import { searchAttributes } from '../../src/contract/search-attributes.js';
import { buildWorkflowBundle } from '../../src/worker/bundle.js';
import { buildReportingBundle } from './every-task.js';
import { testServerSettings } from './server-settings.js';
import { removeSources } from './small-bundle.js';

declare module 'vitest' {
  export interface ProvidedContext {
    temporalAddress: string;
    workflowBundlePath: string;
    /** The bundle of the same workflow that reports its state after each task. */
    reportingBundlePath: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-bundle-'));
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const write = async (name: string, code: Promise<string>) => {
    await writeFile(join(folder, name), removeSources(await code));
    return join(folder, name);
  };
  const [server, bundle, reporting] = await Promise.all([
    startDevServer({ headless: true, searchAttributes, settings: testServerSettings, report }),
    write('workflows.js', buildWorkflowBundle()),
    write('reporting.js', buildReportingBundle()),
  ]);
  project.provide('temporalAddress', server.address);
  project.provide('workflowBundlePath', bundle);
  project.provide('reportingBundlePath', reporting);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
