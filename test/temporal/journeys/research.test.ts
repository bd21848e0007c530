/**
 * A research agent delegates to three agents and combines what they find. Each model answers from its request alone: the primary
 * one needs the descriptions of the agents, and the synthesizer their results.
 */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, defineTool, delegate } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import type { Script } from '../../support/messages-server.js';
import { reactTo } from '../../support/reacting-model.js';
import { getTemporalAddress } from '../../support/temporal.js';

const subjects = {
  market_research_agent: ['Finds the size and growth of a market.', 'market_size: $2.3B, growth_rate: 34% CAGR'],
  tech_analysis_agent: ['Compares the technology of products.', 'Two of nine platforms are durable.'],
  news_agent: ['Summarizes the news about a subject.', 'Three launches in October.'],
} as const;

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks a subject up',
  inputSchema: z.object({ subject: z.string() }),
  effects: 'read',
  execute: ({ subject }) => subjects[subject as keyof typeof subjects]?.[1] ?? 'Nothing.',
});

const specialists = Object.entries(subjects).map(([name, [description]]) =>
  defineAgent({ name, description, instructions: `You are ${name}.`, model: 'claude-haiku-5-5', tools: [lookUp] }),
);

const synthesizer = defineTool({
  name: 'synthesizer',
  description: 'Combines findings into one text',
  inputSchema: z.object({ inputs: z.array(z.string()) }),
  effects: 'pure',
  execute: ({ inputs }) => inputs.join(' '),
});

const researcher = defineAgent({
  name: 'researcher',
  model: 'claude-sonnet-5-5',
  tools: [...specialists.map((agent) => delegate(agent)), synthesizer],
});

const reply: Script = (request) => {
  const name = /You are (\w+)\./.exec(JSON.stringify(request.body.system ?? ''))?.[1];
  if (name !== undefined) {
    const found = subjects[name as keyof typeof subjects]?.[1] ?? '';
    return reactTo(request, [
      {
        needs: ['look_up', 'AI agent platforms'],
        until: found,
        reply: { text: 'I look.', calls: [{ name: 'look_up', input: { subject: name } }] },
      },
      { reply: { text: found } },
    ]);
  }
  const findings = Object.values(subjects).map(([, found]) => found);
  return reactTo(request, [
    {
      needs: Object.values(subjects).map(([description]) => description),
      until: findings.join('').slice(0, 20),
      reply: {
        text: 'This requires multiple specialized analyses: market_research_agent, tech_analysis_agent, news_agent.',
        calls: Object.keys(subjects).map((agent) => ({
          name: agent,
          input: { task: `AI agent platforms, as ${agent}` },
        })),
      },
    },
    {
      needs: [...findings, 'Combines findings into one text'],
      until: findings.join(' '),
      reply: {
        text: 'Combining insights from 3 sub-agents.',
        calls: [{ name: 'synthesizer', input: { inputs: findings } }],
      },
    },
    { reply: { text: findings.join(' ') } },
  ]);
};

it('delegates to three agents at once, shows each with its own steps, and combines their results', async () => {
  await withWorker({ agents: [researcher], replies: reply }, async ({ longhand }) => {
    const chain = await longhand.start(researcher, 'Research the competitive landscape for AI agent platforms');
    expect(await chain.result()).toMatchObject({
      outcome: 'success',
      answer: expect.stringContaining('34% CAGR Two of nine platforms'),
      steps: 3,
      subtree: { chains: 3 },
    });
    const view = await chain.view(createViewer('developer'));
    const results = view.steps.flatMap((step) => (step.level === 'full' && step.kind === 'tool_result' ? [step] : []));
    expect(results.map(({ tool }) => tool)).toEqual([...Object.keys(subjects), 'synthesizer']);
    const { stdout } = await longhandHere(['chain', 'show', chain.chainId, '--tree'], {
      TEMPORAL_ADDRESS: getTemporalAddress(),
    });
    expect(stdout).toMatch(
      /market_research_agent[\s\S]*look_up[\s\S]*tech_analysis_agent[\s\S]*look_up[\s\S]*news_agent/,
    );
  });
});
