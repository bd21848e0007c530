/**
 * Temporal's runtime for tests on the server. A process has one, and files of a worker share their process: who starts a
 * Temporal worker without `withWorker` imports this.
 */

import { DefaultLogger, Runtime } from '@temporalio/worker';
import { logMessages } from '../../src/contract/names.js';

/** Calls that fail are what many tests are about; the chain shows them. */
const expected = new Set([
  'Activity failed',
  'Workflow failed',
  'Call of the model failed',
  'The store failed; continuing without it',
  'A fault in Longhand ended a chain',
]);

/** Errors of pages of the Web UI: a workflow continues without them, and every test fails. */
export const notShown: unknown[] = [];

Runtime.install({
  logger: new DefaultLogger('WARN', ({ level, timestampNanos: _at, message, meta }) => {
    if (message === logMessages.notShown) notShown.push(meta?.error);
    if (!expected.has(message)) console.error(level, message, meta?.error ?? meta ?? '');
  }),
});
