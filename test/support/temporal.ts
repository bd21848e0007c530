/** Where the tests of project `temporal` find a server and the workflow bundle of this run. */

import { afterAll, beforeAll, inject } from 'vitest';
import { type DevServer, startDevServer } from '../../src/cli/server/dev-server.js';
import { searchAttributes } from '../../src/contract/search-attributes.js';

let own: DevServer | null = null;

/**
 * For files whose tests look at all that a server has, or at the newest of it: a server that no other file shares. Called at
 * the top of the file.
 */
export function useOwnServer(): void {
  beforeAll(async () => {
    own = await startDevServer({ headless: true, searchAttributes });
  });
  afterAll(async () => {
    await own?.stop();
    own = null;
  });
}

/** Host and port of a dev server. Use a task queue of your own: every file of the run shares it, but `onOwnServer`. */
export function getTemporalAddress(): string {
  return own?.address ?? requireProvided(inject('temporalAddress'));
}

/** For a worker's `workflowBundle: { codePath }`. */
export function getWorkflowBundlePath(): string {
  return requireProvided(inject('workflowBundlePath'));
}

/** For `openReplayer`. */
export function getReportingBundlePath(): string {
  return requireProvided(inject('reportingBundlePath'));
}

function requireProvided<T>(value: T | null | undefined): T {
  if (value != null) return value;
  throw new Error('Only tests under test/temporal and test/examples have a Temporal server and a workflow bundle.');
}
