/** Invalid input is a usage error; other errors are thrown unchanged. */

import { Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/flags/usage-error.js';
import { startWithUsageErrors } from '../../../src/cli/run/start.js';
import { connect } from '../../../src/client/connect.js';
import { ChainExistsError, ForkError } from '../../../src/client/errors/errors.js';
import type { StartOptions } from '../../../src/index.js';
import { matchError } from '../../support/match-error.js';

/** Starts with a client that never reaches a server. */
async function startNamed(agent: string, task: string, options: StartOptions = {}): Promise<unknown> {
  const longhand = await connect({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
  try {
    return await startWithUsageErrors(() => longhand.start(agent, task, options));
  } finally {
    await longhand.close();
  }
}

describe('invalid input is a usage error', () => {
  it.each<[string, string, StartOptions, string]>([
    ['', 'Find it', {}, "The agent's name is empty."],
    ['clerk', ' ', {}, 'The task is empty'],
    ['clerk', 'x'.repeat(3_000_000), {}, 'Store long content where a tool can read it.'],
    ['clerk', 'Find it', { chainId: 'x'.repeat(2_000) }, "has 2000 bytes; Temporal's limit is 1000."],
    ['clerk', 'Find it', { limits: { steps: 0 } }, 'limits.steps must be a whole number from 1.'],
  ])('%j', async (agent, task, options, message) => {
    const start = startNamed(agent, task, options);
    await expect(start).rejects.toThrow(matchError('usage', message));
  });

  it.each([
    [new ForkError('There is no such step.'), 'There is no such step.'],
    [new ChainExistsError('order-7'), 'Chain order-7 already exists. Choose another --id.'],
  ])('%s', async (error, message) => {
    await expect(startWithUsageErrors(() => Promise.reject(error))).rejects.toEqual(new UsageError(message));
  });
});

it.each([
  new TypeError("Cannot read properties of undefined (reading 'name')"),
  new RangeError('Maximum call stack size exceeded'),
  new Error('14 UNAVAILABLE'),
])('another error is thrown unchanged: %s', async (fault) => {
  await expect(startWithUsageErrors(() => Promise.reject(fault))).rejects.toBe(fault);
});
