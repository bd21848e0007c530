/** What the person gave is put right by the person; what went wrong otherwise is a fault, and looks like one. */

import { Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/flags/usage-error.js';
import { startWithUsageErrors } from '../../../src/cli/run/start.js';
import { connect } from '../../../src/client/connect.js';
import { ChainExistsError, ForkError } from '../../../src/client/errors/errors.js';
import type { StartOptions } from '../../../src/client/start/start.js';

/** By a client whose server nobody asks. */
async function started(agent: string, task: string, options: StartOptions = {}): Promise<unknown> {
  const longhand = await connect({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
  try {
    return await startWithUsageErrors(() => longhand.start(agent, task, options));
  } finally {
    await longhand.close();
  }
}

describe('of what was given is told', () => {
  it.each<[string, string, StartOptions, string]>([
    ['', 'Find it', {}, "The agent's name is empty."],
    ['clerk', ' ', {}, 'The task is empty'],
    ['clerk', 'x'.repeat(3_000_000), {}, 'Put what is long where a tool can read it.'],
    ['clerk', 'Find it', { chainId: 'x'.repeat(2_000) }, 'has 2000 bytes; Temporal takes 1000 at most.'],
    ['clerk', 'Find it', { limits: { steps: 0 } }, 'limits.steps must be a whole number from 1.'],
  ])('%j', async (agent, task, options, says) => {
    const start = started(agent, task, options);
    await expect(start).rejects.toThrow(UsageError);
    await expect(start).rejects.toThrow(says);
  });

  it.each([
    [new ForkError('There is no such step.'), 'There is no such step.'],
    [new ChainExistsError('order-7'), 'There is a chain order-7 already. Choose another --id.'],
  ])('%s', async (error, says) => {
    await expect(startWithUsageErrors(() => Promise.reject(error))).rejects.toEqual(new UsageError(says));
  });
});

it.each([
  new TypeError("Cannot read properties of undefined (reading 'name')"),
  new RangeError('Maximum call stack size exceeded'),
  new Error('14 UNAVAILABLE'),
])('a fault stays what it is: %s', async (fault) => {
  await expect(startWithUsageErrors(() => Promise.reject(fault))).rejects.toBe(fault);
});
