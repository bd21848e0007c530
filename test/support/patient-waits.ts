/**
 * `vi.waitFor` and `vi.waitUntil` wait as long as `expect.poll` by default: their own default, a second, is less than a busy machine
 * may pause a process for. A limit ends what hangs, and proves nothing.
 */

import { vi } from 'vitest';

/** As `expect.poll.timeout` in vitest.config.ts. */
const timeout = 60_000;

const done = Symbol.for('longhand.patientWaits');

// Files share the modules of their process, and each of them runs this again.
if (!(done in vi)) {
  const { waitFor, waitUntil } = vi;
  const withDefault = (options: Parameters<typeof waitFor>[1] = {}) =>
    typeof options === 'number' ? options : { timeout, ...options };
  Object.assign(vi, {
    [done]: true,
    waitFor: ((callback, options) => waitFor(callback, withDefault(options))) as typeof waitFor,
    waitUntil: ((callback, options) => waitUntil(callback, withDefault(options))) as typeof waitUntil,
  });
}
