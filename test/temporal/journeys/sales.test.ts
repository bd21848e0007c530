/**
 * A developer finds out why an analysis is wrong: the chain names each model that was asked, what it concluded and what it cost, and
 * each query with its result. The fix is a check in the tool. All models answer from their requests alone.
 */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { llmTool } from '../../../src/entries/tools.js';
import { createViewer } from '../../../src/entries/view.js';
import { type Agent, defineAgent, defineTool, ToolError } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import type { Script } from '../../support/messages-server.js';
import { reactTo } from '../../support/reacting-model.js';
import { getTemporalAddress } from '../../support/temporal.js';

/** @param isChecked whether the tool rejects values that cannot be */
const createAnalyst = (isChecked: boolean): Agent =>
  defineAgent({
    name: 'analyst',
    model: 'claude-sonnet-5-5',
    tools: [
      defineTool({
        name: 'database',
        kind: 'database',
        description: 'Runs a query. Tables: sales (quarter, revenue), metrics (growth_rate).',
        inputSchema: z.object({ query: z.string() }),
        effects: 'read',
        view: { summary: '{rowCount} rows' },
        execute: ({ query }) => {
          if (!query.includes('growth_rate')) return { rowCount: 1_247, revenue: 1_000_000 };
          if (isChecked)
            throw new ToolError('growth_rate is 847, which is no fraction: it has hundredths of a percent.');
          return { rowCount: 1, growth_rate: 847 };
        },
      }),
      llmTool({ models: ['claude-haiku-5-5', 'claude-opus-5-5'] }),
    ],
  });

const database = (query: string) => [{ name: 'database', input: { query } }];
const llm = (model: string, prompt: string) => [{ name: 'llm', input: { model, prompt } }];

const reply: Script = (request) => {
  const { body } = request;
  if (body.model === 'claude-haiku-5-5') {
    const [, revenue = 0, rate = 0] = /revenue (\d+), growth rate ([\d.]+\d)/.exec(JSON.stringify(body.messages)) ?? [];
    return {
      text: `Multiplying total sales by growth rate: $${Number(((Number(revenue) * Number(rate)) / 1e6).toFixed(4))}M`,
    };
  }
  if (body.model === 'claude-opus-5-5')
    return {
      text: JSON.stringify(body.messages).includes('$847M') ? 'A growth rate of 847 is unusually high.' : 'It is fine.',
    };
  return reactTo(request, [
    {
      needs: ['Tables: sales (quarter, revenue), metrics (growth_rate)'],
      until: '"revenue":1000000',
      reply: { text: 'I need the sales of Q4.', calls: database("SELECT revenue FROM sales WHERE quarter='Q4'") },
    },
    {
      until: 'growth_rate is 847',
      reply: (text) =>
        text.includes('"growth_rate":847')
          ? reactTo(request, [
              {
                needs: ['Choose the cheapest model that can do it'],
                until: '$847M',
                reply: {
                  text: 'A simple product: the cheaper model.',
                  calls: llm('claude-haiku-5-5', 'Project: revenue 1000000, growth rate 847.'),
                },
              },
              {
                until: 'unusually high',
                reply: { text: 'I verify it.', calls: llm('claude-opus-5-5', 'Is a projection of $847M reasonable?') },
              },
              { reply: { text: 'Projected revenue: $847M' } },
            ])
          : { text: 'And the growth rate.', calls: database('SELECT growth_rate FROM metrics') },
    },
    {
      needs: ['hundredths of a percent'],
      until: '$1.0847M',
      reply: { text: '8.47 %.', calls: llm('claude-haiku-5-5', 'Project: revenue 1000000, growth rate 1.0847.') },
    },
    { reply: { text: 'Projected revenue: $1.0847M' } },
  ]);
};

it('the chain shows which model was asked what, what it concluded and cost, and which query was wrong', async () => {
  const analyst = createAnalyst(false);
  await withWorker({ agents: [analyst], replies: reply }, async ({ longhand }) => {
    const chain = await longhand.start(analyst, 'Analyze the Q4 sales and project the revenue.');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Projected revenue: $847M', steps: 5 });
    const { steps } = await chain.view(createViewer('developer'));
    const results = steps.flatMap((step) =>
      step.level === 'full' && step.kind === 'tool_result'
        ? [[step.tool, step.charges?.[0]?.costUsd ?? null, step.observation]]
        : [],
    );
    expect(results).toEqual([
      ['database', null, { rowCount: 1_247, revenue: 1_000_000 }],
      ['database', null, { rowCount: 1, growth_rate: 847 }],
      ['llm', expect.any(Number), 'Multiplying total sales by growth rate: $847M'],
      ['llm', expect.any(Number), 'A growth rate of 847 is unusually high.'],
    ]);
    const { stdout } = await longhandHere(['chain', 'show', chain.chainId], { TEMPORAL_ADDRESS: getTemporalAddress() });
    expect(stdout).toMatch(/llm\/claude-haiku-5-5[\s\S]*growth rate 847[\s\S]*llm\/claude-opus-5-5/);
    expect(stdout).toMatch(/\[LLM: claude-sonnet-5-5\] {2}from anthropic · model-1 · .* tokens in · .* out · \$/);
    expect(stdout).toContain("SELECT revenue FROM sales WHERE quarter='Q4'");
    expect(stdout).toContain('"growth_rate":847');
  });
});

it('a check in the tool mends it: the model reads why the value cannot be', async () => {
  const analyst = createAnalyst(true);
  await withWorker({ agents: [analyst], replies: reply }, async ({ longhand }) => {
    const chain = await longhand.start(analyst, 'Analyze the Q4 sales and project the revenue.');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Projected revenue: $1.0847M' });
  });
});
