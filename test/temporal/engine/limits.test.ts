/** L6 and L7: each limit stops a chain on a real server, with a partial result, before a call that the budget cannot pay. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { playInTime } from '../../support/enough-time.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { look, replyWithLook } from '../../support/tools.js';

const dwell = defineTool({
  name: 'dwell',
  description: 'Waits until its signal is aborted',
  inputSchema: z.object({}),
  effects: 'read',
  heartbeatTimeout: '1s',
  execute: (_input, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
});

const agent = defineAgent({ name: 'looker', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look, dwell] });

function replyWithLooks(count: number, usage?: { input: number; output: number }): ScriptedReply[] {
  return Array.from({ length: count }, (_, place) => ({
    ...replyWithLook(place),
    ...(usage ? { usage } : {}),
  }));
}

const summary = { text: 'I saw a few things.' };

describe('a limit', () => {
  it('of steps ends the chain with a summary by a call without tools', async () => {
    await withWorker({ agents: [agent], replies: [...replyWithLooks(3), summary] }, async ({ longhand, models }) => {
      const result = await (await longhand.start(agent, 'Look around', { limits: { steps: 3 } })).result();
      expect(result).toMatchObject({
        outcome: 'max_iterations',
        success: false,
        answer: null,
        partial: 'I saw a few things.',
        reason: 'Max steps (3) reached.',
        reasonCode: 'max_steps',
        steps: 3,
      });
      expect(models.requests).toHaveLength(4);
      expect(models.requests.at(-1)?.body).toMatchObject({ tool_choice: { type: 'none' }, max_tokens: 1024 });
    });
  });

  it("of cost admits a long task by the provider's count of its tokens, and by its bytes without one", async () => {
    const task = 'Look around. '.repeat(31_000);
    const run = (countTokens?: (bytes: number) => number) => {
      const server = countTokens === undefined ? {} : { countTokens };
      return withWorker({ agents: [agent], replies: [summary], server }, async ({ longhand }) => {
        const chain = await longhand.start(agent, task, { limits: { costUsd: 1 } });
        const read = await chain.result().then(() => chain.read());
        return { result: await chain.result(), counted: read.state.agent?.countedTokens };
      });
    };
    const counted = await run((bytes) => Math.ceil(bytes / 4));
    expect(counted.result).toMatchObject({ outcome: 'success', answer: 'I saw a few things.' });
    expect(counted.counted).toBeGreaterThan(100_000);
    expect((await run()).result).toMatchObject({ outcome: 'cost_budget', steps: 0 });
  });

  it('of tokens prevents a model call that could exceed it', async () => {
    const replies = [
      ...replyWithLooks(3, { input: 6_000, output: 100 }),
      { ...summary, usage: { input: 6_000, output: 20 } },
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const result = await (await longhand.start(agent, 'Look around', { limits: { tokens: 32_000 } })).result();
      expect(result).toMatchObject({ outcome: 'token_budget', partial: 'I saw a few things.', steps: 3 });
      expect(result.usage.input + result.usage.output).toBeLessThanOrEqual(32_000);
      expect(result.reasonCode).toBe('token_budget');
    });
  });

  it('of cost lowers maxTokens of each call and is not exceeded', async () => {
    const replies = [
      ...replyWithLooks(2, { input: 5_000, output: 1_000 }),
      { ...summary, usage: { input: 5_000, output: 20 } },
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
      const result = await (await longhand.start(agent, 'Look around', { limits: { costUsd: 0.08 } })).result();
      expect(result).toMatchObject({ outcome: 'cost_budget', partial: 'I saw a few things.', steps: 2 });
      expect(result.costUsd).toBeLessThanOrEqual(0.08);
      const allowed = models.requests.map(({ body }) => (body as { max_tokens: number }).max_tokens);
      expect(allowed[0]).toBeLessThan(16_000);
      expect(allowed[1]).toBeLessThan(allowed[0] ?? 0);
    });
  });

  it('of time interrupts a tool call and sums up', async () => {
    const replies = [{ text: 'I wait.', calls: [{ name: 'dwell', input: {} }] }, summary];
    await playInTime(2_000, (time) =>
      withWorker({ agents: [agent], replies }, async ({ longhand }) => {
        const chain = await longhand.start(agent, 'Wait', { limits: { time } });
        const result = await chain.result();
        const [step] = (await chain.read()).steps;
        if (step === undefined || step.calls[0]?.status === 'not_run') return null;
        expect(result).toMatchObject({
          outcome: 'timeout',
          partial: 'I saw a few things.',
          reason: expect.stringContaining('call 1.1 (dwell)'),
          reasonCode: 'time_limit',
        });
        expect(step.calls[0]?.status).toBe('cancelled');
        return result;
      }),
    );
  });

  it('of time interrupts a model call', async () => {
    const replies: ScriptedReply[] = [{ hang: true, afterEvents: 3, text: 'Let me th' }, summary];
    await playInTime(1_500, (time) =>
      withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
        const result = await (await longhand.start(agent, 'Think', { limits: { time } })).result();
        // Only the closing call was made.
        if (models.requests.length === 1) return null;
        expect(result).toMatchObject({ outcome: 'timeout', partial: 'I saw a few things.', steps: 0 });
        expect(models.aborted).toBe(1);
        return result;
      }),
    );
  });

  it('of repeated calls stops the chain before the call is executed again', async () => {
    const same = { text: 'Once more.', calls: [{ name: 'look', input: { place: 1 } }] };
    await withWorker({ agents: [agent], replies: [same, same, same] }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Look around');
      const result = await chain.result();
      expect(result).toMatchObject({ outcome: 'stalled', reasonCode: 'repeated_calls', partial: null, steps: 3 });
      expect(result.reason).toContain('look({"place":1})');
      const { steps } = await chain.read();
      expect(steps.map((step) => step.calls[0]?.status)).toEqual(['ok', 'reused', 'not_run']);
    });
  });

  it('of cost is rejected for a model without a price', async () => {
    await withWorker({ agents: [agent] }, async ({ longhand }) => {
      const options = { model: 'unpriced-model', limits: { costUsd: 1 } };
      const result = await (await longhand.start(agent, 'Look', options)).result();
      expect(result).toMatchObject({ outcome: 'failure', reasonCode: 'not_prepared', steps: 0, costUsd: null });
      expect(result.reason).toContain('unpriced-model');
    });
  });

  it('is optional for a model without a price, which reports no cost', async () => {
    await withWorker({ agents: [agent], replies: [summary] }, async ({ longhand }) => {
      const result = await (await longhand.start(agent, 'Look', { model: 'unpriced-model' })).result();
      expect(result).toMatchObject({ outcome: 'success', costUsd: null });
    });
  });
});
