/** Where the tests of project `temporal` find the server and the workflow bundle of this run. */

import { inject } from 'vitest';

/** Host and port of the run's dev server. Use a task queue of your own: every file of the run shares the server. */
export function temporalAddress(): string {
  return provided(inject('temporalAddress'));
}

/** For a worker's `workflowBundle: { codePath }`. */
export function workflowBundlePath(): string {
  return provided(inject('workflowBundlePath'));
}

/** For `statesIn`. */
export function reportingBundlePath(): string {
  return provided(inject('reportingBundlePath'));
}

function provided<T>(value: T | null | undefined): T {
  if (value != null) return value;
  throw new Error('Only tests under test/temporal and test/examples have a Temporal server and a workflow bundle.');
}
