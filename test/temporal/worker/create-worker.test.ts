/** A worker that cannot be created or run closes its connection and its store. */

import { NativeConnection, Worker } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import type { ModelProvider } from '../../../src/entries/models.js';
import type { LonghandWorkerOptions } from '../../../src/entries/worker.js';
import { createWorkerWithBundle } from '../../../src/worker/open-worker.js';
import { matchError } from '../../support/match-error.js';
import { stubborn } from '../../support/stubborn-agents.js';
import { getTemporalAddress, getWorkflowBundlePath } from '../../support/temporal.js';
import '../../support/runtime.js';

const provider: ModelProvider = {
  name: 'unused',
  call: () => Promise.reject(new Error('Unexpected call.')),
};

let closing: MockInstance<NativeConnection['close']>;
beforeEach(() => {
  closing = vi.spyOn(NativeConnection.prototype, 'close');
});
afterEach(() => void vi.restoreAllMocks());

function create(options: Partial<LonghandWorkerOptions> = {}) {
  const given = { agents: [stubborn], providers: [provider], address: getTemporalAddress(), store: null, ...options };
  return createWorkerWithBundle(given, async () => ({ codePath: getWorkflowBundlePath() }));
}

describe('the connection of a worker is closed', () => {
  it('when the namespace does not exist', async () => {
    await expect(create({ namespace: 'missing' })).rejects.toThrow(matchError('namespace_not_found'));
    expect(closing).toHaveBeenCalledTimes(1);
  });

  it('when the store has an invalid address', async () => {
    await expect(create({ store: 'mysql://db.example/longhand' })).rejects.toThrow('mysql:');
    expect(closing).toHaveBeenCalledTimes(1);
  });

  it("when Temporal's worker cannot be created", async () => {
    vi.spyOn(Worker, 'create').mockRejectedValue(new Error('No worker.'));
    await expect(create()).rejects.toThrow('No worker.');
    expect(closing).toHaveBeenCalledTimes(1);
  });

  it('after the worker failed, whose error is thrown', async () => {
    vi.spyOn(Worker.prototype, 'run').mockRejectedValue(new Error('Its poller failed.'));
    closing.mockRejectedValue(new Error('The connection is in use.'));
    const worker = await create();
    await expect(worker.run()).rejects.toThrow('Its poller failed.');
    expect(closing).toHaveBeenCalledTimes(1);
  });
});

it('a connection that the caller passed stays open', async () => {
  const connection = await NativeConnection.connect({ address: getTemporalAddress() });
  await expect(create({ connection, namespace: 'missing' })).rejects.toThrow(matchError('namespace_not_found'));
  expect(closing).not.toHaveBeenCalled();
  await connection.close();
});

it('a second run of a worker is rejected, and the first continues', async () => {
  const worker = await create();
  const running = worker.run();
  await expect(worker.run()).rejects.toThrow(matchError('worker_failed', 'a worker runs once'));
  expect(worker.getState()).toBe('RUNNING');
  expect(closing).not.toHaveBeenCalled();
  worker.shutdown();
  await running;
  await expect(worker.run()).rejects.toThrow(matchError('worker_failed', 'a worker runs once'));
  expect(closing).toHaveBeenCalledTimes(1);
});

it('a shutdown stops a running worker, and has no effect before and after', async () => {
  const worker = await create();
  worker.shutdown();
  expect(worker.getState()).toBe('INITIALIZED');
  const running = worker.run();
  expect(worker.getState()).toBe('RUNNING');
  worker.shutdown();
  worker.shutdown();
  await running;
  expect(worker.getState()).toBe('STOPPED');
  expect(closing).toHaveBeenCalledTimes(1);
});
