/** Tools whose calls have a price: what is charged for calls that run, fail, do not run or are cached. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { countToolUse } from '../../../src/core/record/tool-use.js';
import { openStore } from '../../../src/entries/store.js';
import { defineAgent, defineTool, NotDone, ToolError } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';

const search = defineTool({
  name: 'search',
  description: 'Searches',
  inputSchema: z.object({ q: z.string(), pages: z.number().default(2) }),
  effects: 'read',
  cacheTtl: '1h',
  cost: { most: 0.1, compute: ({ pages }, result) => pages * 0.01 + (result as string).length * 0.001 },
  execute: ({ q }) => `found ${q}`,
});
const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({ how: z.enum(['well', 'badly', 'never']) }),
  effects: 'idempotent',
  cost: 0.05,
  execute: ({ how }) => {
    if (how === 'badly') throw new ToolError('The account is closed.');
    if (how === 'never') throw new NotDone('Nothing was sent.');
    return 'paid';
  },
});
const agent = defineAgent({
  name: 'buyer',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [search, pay],
  limits: { costUsd: 1 },
});

it('charges a call its price, a failed one the most, and one that did not run or is cached nothing', async () => {
  const store = await openStore('memory:');
  try {
    const replies = [
      {
        text: 'I buy.',
        calls: [
          ...[
            { name: 'search', input: { q: 'rent' } },
            { name: 'pay', input: { how: 'well' } },
          ],
          ...[
            { name: 'pay', input: { how: 'badly' } },
            { name: 'pay', input: { how: 'never' } },
          ],
        ],
      },
      { text: 'I search again.', calls: [{ name: 'search', input: { q: 'rent' } }] },
      { text: 'Done.' },
    ];
    await withWorker({ agents: [agent], replies, worker: { store } }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Buy');
      const { costUsd } = await chain.result();
      const { steps } = await chain.read();
      const calls = steps.flatMap((step) => step.calls);
      expect(calls.map(({ charges }) => charges?.map(({ costUsd: usd }) => usd))).toEqual([
        [0.03],
        [0.05],
        [0.05],
        undefined,
        undefined,
      ]);
      expect(calls.at(-1)).toMatchObject({ status: 'ok', observation: 'found rent', cached: {} });
      const ofModel = steps.reduce((sum, step) => sum + (step.costUsd ?? 0), 0);
      expect(costUsd).toBeCloseTo(ofModel + 0.13, 9);
      const attempts = Object.fromEntries(calls.map(({ id }) => [id, { made: 1 }]));
      expect(countToolUse(steps, { attempts } as never)).toMatchObject([
        { tool: 'search', calls: 2, costUsd: 0.03 },
        { tool: 'pay', calls: 3, costUsd: 0.1 },
      ]);
    });
  } finally {
    await store.close();
  }
});
