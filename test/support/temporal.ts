/** The server and the workflow bundles of this run, for the tests of the project `temporal`. */

import { afterAll, beforeAll, inject } from 'vitest';
import { type DevServer, startDevServer } from '../../src/cli/server/dev-server.js';
import { searchAttributes } from '../../src/contract/search-attributes.js';
import './runtime.js';
import { testServerSettings } from './server-settings.js';

let own: DevServer | null = null;

/**
 * Starts a server for this file alone, because its tests read all chains of a server, or the newest. Called at the top of
 * the file.
 *
 * @param more further values of the server's dynamic configuration
 */
export function useOwnServer(more: readonly string[] = []): void {
  beforeAll(async () => {
    own = await startDevServer({ headless: true, searchAttributes, settings: [...testServerSettings, ...more] });
  });
  afterAll(async () => {
    await own?.stop();
    own = null;
  });
}

/** Returns host and port of the server, which all files of the run share. Use a separate task queue. */
export function getTemporalAddress(): string {
  return own?.address ?? requireProvided(inject('temporalAddress'));
}

/** Returns the path for a worker's `workflowBundle: { codePath }`. */
export function getWorkflowBundlePath(): string {
  return requireProvided(inject('workflowBundlePath'));
}

/** Returns the path for `openReplayer`. */
export function getReportingBundlePath(): string {
  return requireProvided(inject('reportingBundlePath'));
}

function requireProvided<T>(value: T | null | undefined): T {
  if (value != null) return value;
  throw new Error('Only tests under test/temporal and test/examples have a Temporal server and a workflow bundle.');
}
