/**
 * Temporal's runtime for tests on a server. A process has one, which its test files share: `temporal.ts` imports this before any of
 * them starts a worker.
 */

import { DefaultLogger, Runtime } from '@temporalio/worker';
import { logMessages } from '../../src/contract/names.js';
import { blockedMessage } from '../../src/timing/loop-guard.js';

/** Messages that are not printed, because many tests cause these failures and their chains show them. */
const expected = new Set([
  'Activity failed',
  'Workflow failed',
  'Call of the model failed',
  'The store failed; continuing without it',
  'A fault in Longhand ended a chain',
]);

/** Errors of texts for the Web UI: a workflow continues without such a text, but its test fails. */
export const notShown: unknown[] = [];

/** Blocks of the event loop. Not printed: in tests, workflows run in the loop too. */
export const loopBlocks: unknown[] = [];

Runtime.install({
  logger: new DefaultLogger('WARN', ({ level, timestampNanos: _at, message, meta }) => {
    if (message === logMessages.notShown) notShown.push(meta?.error);
    if (message === blockedMessage) return void loopBlocks.push(meta);
    if (!expected.has(message)) console.error(level, message, meta?.error ?? meta ?? '');
  }),
});
