/** A command that runs a chain with its own worker ends when this worker fails. */

import { Worker } from '@temporalio/worker';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runChain } from '../../../src/cli/run/run-chain.js';
import { connect } from '../../../src/entries/client.js';
import type { ModelProvider } from '../../../src/entries/models.js';
import { matchError } from '../../support/match-error.js';
import { stubborn } from '../../support/stubborn-agents.js';
import { getTemporalAddress } from '../../support/temporal.js';
import '../../support/runtime.js';

/** Requests a retry after a minute: the chain waits, and its worker runs no call. */
function createBusyProvider(onCall: () => void): ModelProvider {
  const failure = { kind: 'overloaded', message: 'Busy.', status: 529, retryAfterMs: 60_000 } as const;
  return {
    name: 'busy',
    call: async () => {
      onCall();
      return { ok: false, failure: { ...failure, settle: 'nothing', usage: null } };
    },
  };
}

/** Makes the real worker fail after the first model call. */
function failWorker(): ModelProvider {
  let broken = () => {};
  const breaks = new Promise<void>((resolve) => {
    broken = resolve;
  });
  const { run } = Worker.prototype;
  vi.spyOn(Worker.prototype, 'run').mockImplementation(async function (this: Worker) {
    const running = run.call(this);
    await breaks;
    this.shutdown();
    await running;
    throw new Error('Its poller died.');
  });
  return createBusyProvider(broken);
}

afterEach(() => void vi.restoreAllMocks());

describe('a failed worker ends the command that runs a chain', () => {
  const live = { write: () => {}, color: false, width: 100 };
  it.each([
    ['while the chain is shown', live],
    ['while only the result is printed', null],
  ])('%s', async (_how, shown) => {
    const chainId = `chain-${crypto.randomUUID()}`;
    const provider = failWorker();
    const address = getTemporalAddress();
    const ran = runChain({
      ...{
        agents: [stubborn],
        agent: stubborn,
        task: 'Hold on',
        address,
        providers: [provider],
        output: shown,
        report: () => {},
      },
      start: { chainId },
      requestHandling: 'print',
    });
    await expect(ran).rejects.toMatchObject(
      matchError('worker_failed', `chain ${chainId} does not continue: Its poller died.`),
    );
    const longhand = await connect({ address });
    await longhand.client.workflow.getHandle(chainId).terminate();
    await longhand.close();
  });
});
