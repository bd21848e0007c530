/** The top-products example: the sums are computed from the CSV file, not by the model. */

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { analyst } from '../../examples/top-products.js';
import type { ChainTest } from '../support/chain-test.js';
import { withWorker } from '../support/chain-test.js';
import { acts, answers } from '../support/react-reply.js';
import { reacts } from '../support/reacting-model.js';

const task = 'Analyze the Q4 sales data and identify the top 3 products by revenue';

test('the example finds the top three products of the fourth quarter', async () => {
  const replies = reacts(
    {
      needs: ['Action Input:', 'query_sales', 'quarter', 'limit'],
      until: '"Widget Pro"',
      reply: acts('I need the sales of the fourth quarter by product.', 'query_sales', { quarter: 'Q4', limit: 3 }),
    },
    {
      needs: ['Final Answer:', '94250'],
      // In the order of the observation.
      reply: (request) => {
        const products = [...request.matchAll(/"product":"([^"]+)"/g)].map(([, name], at) => `${at + 1}. ${name}`);
        return answers('The rows are sorted by revenue.', products.join('\n'));
      },
    },
  );
  await withWorker({ agents: [analyst], replies }, async (run) => {
    const { result, observations } = await ask(run);

    expect(result).toMatchObject({ outcome: 'success', answer: '1. Widget Pro\n2. Gadget Plus\n3. Tool Master' });
    expect(observations).toEqual([
      {
        quarter: 'Q4',
        rows: [
          { product: 'Widget Pro', units: 377, revenue: 94_250 },
          { product: 'Gadget Plus', units: 433, revenue: 77_940 },
          { product: 'Tool Master', units: 567, revenue: 68_040 },
        ],
        rowsInAll: 6,
        totalRevenue: await revenueIn(['10', '11', '12']),
      },
    ]);
  });
});

test('a call with an unknown quarter does not run, and its observation lists the valid ones', async () => {
  const replies = [
    acts('Let me look at the fifth quarter.', 'query_sales', { quarter: 'Q5', groupBy: 'region' }),
    acts('There is no fifth quarter: I take the fourth.', 'query_sales', { quarter: 'Q4', groupBy: 'region' }),
    answers('The Americas lead.', 'Americas'),
  ];
  await withWorker({ agents: [analyst], replies }, async (run) => {
    const { result, observations } = await ask(run);

    expect(result.answer).toBe('Americas');
    expect(observations[0]).toMatch(/query_sales.*quarter:.*"Q1".*"Q4"/s);
    expect(observations[1]).toMatchObject({
      rows: [{ region: 'Americas' }, { region: 'Europe' }, { region: 'Asia' }],
    });
  });
});

async function ask({ longhand }: ChainTest) {
  const chain = await longhand.start(analyst, task);
  const result = await chain.result();
  const { steps } = await chain.read();
  return { result, observations: steps.flatMap(({ calls }) => calls.map(({ observation }) => observation)) };
}

/** Computes the sum without the tool under test. */
async function revenueIn(months: readonly string[]): Promise<number> {
  const text = await readFile(new URL('../../examples/data/sales.csv', import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => months.some((month) => line.startsWith(`2025-${month}-`)));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(',') + 1)), 0);
}
