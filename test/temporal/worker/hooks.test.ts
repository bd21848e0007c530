/** The hooks of a worker: what they receive, and that they change no chain. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorker, type EndEvent, type StepEvent, type ToolCallEvent } from '../../../src/entries/worker.js';
import { defineAgent, defineTool, ToolError } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { matchError } from '../../support/match-error.js';

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks up a word',
  inputSchema: z.object({ word: z.string() }),
  effects: 'read',
  retry: { attempts: 1 },
  execute: ({ word }) => {
    if (word === 'xyzzy') throw new ToolError('No such word.');
    return `meaning of ${word}`;
  },
});

const scholar = defineAgent({
  name: 'scholar',
  instructions: 'Explain words.',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [lookUp],
});

const replies = [
  {
    text: 'I look both up.',
    calls: ['tea', 'xyzzy'].map((word) => ({ name: 'look_up', input: { word } })),
  },
  { text: 'Tea is a drink.' },
];

describe('the hooks of a worker', () => {
  it('receive each step, each attempt at a tool call and the end, without content', async () => {
    const steps: StepEvent[] = [];
    const calls: ToolCallEvent[] = [];
    const ends: EndEvent[] = [];
    const hooks = {
      onStep: (event: StepEvent) => steps.push(event),
      onToolCall: (event: ToolCallEvent) => calls.push(event),
      onEnd: (event: EndEvent) => ends.push(event),
    };
    const result = await withWorker({ agents: [scholar], replies, worker: { hooks } }, async ({ longhand }) => {
      const chain = await longhand.start(scholar, 'What is tea?', { tenant: 'acme' });
      const ended = await chain.result();
      await expect.poll(() => ends).toHaveLength(1);
      return ended;
    });
    const place = { chainId: result.chainId, agent: 'scholar', tenant: 'acme' };
    expect(steps).toMatchObject([
      { ...place, step: 1, reply: 'calls', tools: ['look_up', 'look_up'], model: 'claude-sonnet-5-5' },
      { ...place, step: 2, reply: 'answer', tools: [] },
    ]);
    expect(steps.map(({ usage }) => usage.output).reduce((sum, each) => sum + each)).toBe(result.usage.output);
    expect(calls.toSorted((a, b) => a.call.localeCompare(b.call))).toMatchObject([
      { ...place, step: 1, call: '1.1', tool: 'look_up', attempt: 1, outcome: 'ok', errorType: null },
      { ...place, step: 1, call: '1.2', tool: 'look_up', attempt: 1, outcome: 'failed', errorType: expect.any(String) },
    ]);
    const { outcome, reasonCode, usage, costUsd, durationMs } = result;
    expect(ends).toEqual([{ ...place, outcome, reasonCode, steps: 2, usage, costUsd, durationMs }]);
    expect(JSON.stringify([steps, calls, ends])).not.toMatch(/tea|xyzzy|No such/i);
  });

  it('that fail or never return change no chain', async () => {
    const hooks = {
      onStep: () => {
        throw new Error('The log is full.');
      },
      onToolCall: () => Promise.reject(new Error('No metrics.')),
      onEnd: () => new Promise(() => {}),
    };
    const result = await withWorker({ agents: [scholar], replies, worker: { hooks } }, async ({ longhand }) =>
      (await longhand.start(scholar, 'What is tea?')).result(),
    );
    expect(result).toMatchObject({ outcome: 'success', steps: 2 });
  });

  it('must be functions', async () => {
    const hooks = { onStep: 'log' } as never;
    await expect(createWorker({ agents: [scholar], hooks })).rejects.toThrow(
      matchError('invalid_options', 'hooks.onStep must be a function'),
    );
  });
});
