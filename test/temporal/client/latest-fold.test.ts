/** The latest fold of a chain is the same with and without an earlier fold in the cache. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { createFoldCache } from '../../../src/history/fold-cache.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';

const count = defineTool({
  name: 'count',
  description: 'Counts',
  inputSchema: z.object({ to: z.number() }),
  effects: 'read',
  execute: ({ to }) => to,
});
const agent = defineAgent({
  name: 'counter',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [count],
  limits: { steps: 20 },
});
const replyWithCount = (to: number) => ({ text: `To ${to}.`, calls: [{ name: 'count', input: { to } }] });

it('the latest fold is the same with and without a cache, and does not change the cached fold', async () => {
  const replies = [...Array.from({ length: 12 }, (_, to) => replyWithCount(to)), { text: 'Counted.' }];
  const worker = { continueAfter: {} };
  await withWorker({ agents: [agent], replies, worker }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Count');
    await chain.result();
    const { connection, options } = longhand.client;
    const reader = { converter: options.loadedDataConverter, archived: null };
    const { runId } = await longhand.client.workflow.getHandle(chain.chainId).describe();
    const run = { workflowId: chain.chainId, runId };
    const history = { service: connection.workflowService, namespace: 'default' };
    const { events } = await longhand.client.workflow.getHandle(chain.chainId).fetchHistory();
    const tasks = (events ?? [])
      .filter((event) => event.workflowTaskStartedEventAttributes)
      .map((e) => Number(e.eventId));
    const [, early = 0, later = 0] = tasks;

    const cold = await createFoldCache(reader).readLatest(history, run);
    expect(cold.steps).toHaveLength(13);
    const folds = createFoldCache(reader);
    const before = await folds.readAt(history, run, { events: early, head: '' });
    expect(await folds.readLatest(history, run)).toEqual(cold);
    const after = await folds.readAt(history, run, { events: later, head: '' });
    expect(after.state.facts).toBeGreaterThan(before.state.facts);
    expect(after.state.facts).toBeLessThan(cold.state.facts);
  });
});
