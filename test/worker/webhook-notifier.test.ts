/** The sweep of waiting chains: one that cannot be read stops no other, and an old wait is not reported again. */

import type { LoadedDataConverter } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { NativeConnection } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { workflowType } from '../../src/contract/names.js';
import type { Chain } from '../../src/core/model/chain.js';
import { emptyState } from '../../src/core/model/state.js';
import type { Webhook, WebhookStore } from '../../src/store/webhooks/webhook-store.js';
import { WebhookNotifier } from '../../src/worker/webhook-notifier.js';

const webhook: Webhook = {
  ...{ id: '1', tenant: null, url: 'https://example.com/', events: ['chain-waiting'], agents: [], subChains: false },
  ...{ active: true, createdAt: 0, lastAttempt: null },
};
/** A worker on a server whose chains wait since a time, or fail to be read with an error. */
function createScene(chains: { readonly [chainId: string]: number | Error }) {
  const started: string[] = [];
  const warned: string[] = [];
  const workflowService = {
    // The newest first: the first chain of the scene started last.
    listWorkflowExecutions: async ({ query }: { readonly query: string }) => {
      const [, until = '9999-01-01'] = /StartTime <= '([^']+)'/.exec(query) ?? [];
      const listed = Object.keys(chains).map((workflowId, at) => ({ workflowId, startedAt: 1_000_000_000 - at * 10 }));
      return {
        executions: listed
          .filter(({ startedAt }) => startedAt <= Date.parse(until))
          .map(({ workflowId, startedAt }) => ({
            execution: { workflowId, runId: `run-${workflowId}` },
            type: { name: workflowType },
            status: 1,
            startTime: msToTs(startedAt),
            historyLength: msToTs(5_000).seconds,
            memo: {},
            searchAttributes: {},
          })),
      };
    },
    describeWorkflowExecution: async () => ({ workflowExecutionInfo: { historyLength: 5 } }),
    startWorkflowExecution: async ({ workflowId }: { readonly workflowId: string }) => {
      started.push(workflowId);
      return { runId: 'run' };
    },
  };
  const notifier = new WebhookNotifier({
    connection: { workflowService, plugins: [] } as unknown as NativeConnection,
    webhooks: { list: async () => [webhook] } as Partial<WebhookStore> as WebhookStore,
    folds: {
      readLatest: async (_, { workflowId: chainId }) => {
        const since = chains[chainId];
        if (typeof since !== 'number') throw since;
        return { state: { ...emptyState, chainId, paused: { at: since, by: 'ana', note: null } } } as unknown as Chain;
      },
    },
    ...{ namespace: 'default', taskQueue: 'q', dataConverter: undefined, archived: null },
    converter: {} as LoadedDataConverter,
    warn: (sentence) => void warned.push(sentence),
  });
  const sweep = async () => (await notifier.beginSweep())?.sweepWaits();
  return { sweep, started, warned };
}

const hours = 3_600_000;

it('reports the waiting chains after one that cannot be folded, and warns of that one', async () => {
  const now = Date.now();
  const { sweep, started, warned } = createScene({ a: now, broken: new Error('no such rule'), b: now, c: now });
  await sweep();
  expect(started).toHaveLength(3);
  expect(warned).toEqual([expect.stringContaining('broken')]);
});

it('ends where the server does not answer', async () => {
  const away = Object.assign(new Error('away'), { code: 14 });
  const { sweep, started } = createScene({ a: Date.now(), broken: away, b: Date.now() });
  await expect(sweep()).rejects.toThrow('away');
  expect(started).toHaveLength(1);
});

it('reports no wait that the server may have forgotten to have been reported', async () => {
  const now = Date.now();
  const { sweep, started } = createScene({ old: now - 24 * hours, older: now - 72 * hours, young: now - 19 * hours });
  await sweep();
  expect(started).toHaveLength(1);
});

it('continues where the sweep before stopped, so that no chain of many is left out', async () => {
  const since = Date.now();
  const { sweep, started } = createScene(
    Object.fromEntries(Array.from({ length: 4_500 }, (_, at) => [`c${at}`, since])),
  );
  const counts: number[] = [];
  for (let at = 0; at < 4; at++) {
    await sweep();
    counts.push(new Set(started).size);
  }
  expect(counts).toEqual([2_000, 4_000, 4_500, 4_500]);
});
