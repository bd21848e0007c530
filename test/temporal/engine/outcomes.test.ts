/** The outcomes of chains, their results, and the status in Temporal. */

import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { ChainResult } from '../../../src/entries/client.js';
import { type AgentDefinition, defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';

const find = defineTool({
  name: 'find',
  description: 'Finds things',
  inputSchema: z.object({ what: z.string() }),
  effects: 'read',
  execute: ({ what }) => `FOUND: ${what}`,
});

const definition: AgentDefinition = { name: 'finder', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [find] };

async function runToEnd(own: Partial<AgentDefinition>, replies: readonly ScriptedReply[]) {
  const agent = defineAgent({ ...definition, ...own });
  return withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Find it', { tenant: 'acme' });
    const result = await chain.result();
    const { status, typedSearchAttributes } = await longhand.client.workflow.getHandle(chain.chainId).describe();
    const attributes = Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
    return { result, status: status.name, attributes };
  });
}

const calls = { text: 'I look for it.', calls: [{ name: 'find', input: { what: 'the key' } }] };

describe('the outcome of a chain', () => {
  it("is success with an answer, and Temporal's status is Completed", async () => {
    const { result, status, attributes } = await runToEnd({}, [calls, { text: 'It is under the mat.' }]);
    expect(result satisfies ChainResult).toMatchObject({
      outcome: 'success',
      success: true,
      answer: 'It is under the mat.',
      partial: null,
      reason: 'Answered in 2 steps.',
      reasonCode: 'answered',
      steps: 2,
    });
    expect(Object.keys(result).sort()).toEqual(
      'answer chainId costUsd durationMs endedAt outcome partial reason reasonCode startedAt steps success usage'.split(
        ' ',
      ),
    );
    expect(status).toBe('COMPLETED');
    expect(attributes).toMatchObject({
      LonghandAgent: 'finder',
      LonghandTenant: 'acme',
      LonghandStatus: 'ended',
      LonghandOutcome: 'success',
      LonghandRoot: result.chainId,
      LonghandSteps: 2,
    });
  });

  it('is failure for an agent without a model, unless LONGHAND_MODEL names one', async () => {
    const { model: _, ...unnamed } = definition;
    const agent = defineAgent({ ...unnamed, version: '1.4.0' });
    const runWith = async (defaultModel: string, replies: readonly ScriptedReply[]) => {
      vi.stubEnv('LONGHAND_MODEL', defaultModel);
      return withWorker({ agents: [agent], replies }, async ({ longhand }) => {
        const chain = await longhand.start(agent, 'Find it');
        const { reason } = await chain.result();
        const { typedSearchAttributes: found } = await longhand.client.workflow.getHandle(chain.chainId).describe();
        const version = found.getAll().find(({ key }) => key.name === 'LonghandAgentVersion')?.value;
        return { reason, version, model: (await chain.read()).state.agent?.model.name };
      });
    };
    const { reason } = await runWith('', []);
    expect(reason).toContain('Agent finder has no model. Set `model` in its definition, or LONGHAND_MODEL');
    expect(await runWith('claude-haiku-5-5', [{ text: 'Found.' }])).toEqual({
      reason: 'Answered in 1 step.',
      version: '1.4.0',
      model: 'claude-haiku-5-5',
    });
    vi.unstubAllEnvs();
  });

  it('is success if a reply contains a success phrase', async () => {
    const { result } = await runToEnd({ successPhrases: ['mission complete'] }, [
      { ...calls, text: 'Mission complete!' },
    ]);
    expect(result).toMatchObject({ outcome: 'success', answer: 'Mission complete!', steps: 1 });
  });

  it("is failure if a reply contains a failure phrase, and Temporal's status is Failed", async () => {
    const { result, status } = await runToEnd({ failurePhrases: ['cannot be done'] }, [{ text: 'It cannot be done.' }]);
    expect(result).toMatchObject({ outcome: 'failure', success: false, answer: null, reasonCode: 'phrase' });
    expect(status).toBe('FAILED');
  });

  it('is custom if the check accepts an observation, without one more model call', async () => {
    const check: AgentDefinition['check'] = (steps) => {
      const seen = steps.flatMap((step) => step.calls).find((call) => String(call.observation).startsWith('FOUND:'));
      return seen ? { reason: 'It was found.', answer: seen.observation } : null;
    };
    const { result, status } = await runToEnd({ check }, [calls]);
    expect(result).toMatchObject({
      outcome: 'custom',
      answer: 'FOUND: the key',
      reasonCode: 'check',
      reason: 'It was found.',
      steps: 1,
    });
    expect(status).toBe('COMPLETED');
  });

  it("is failure if the model calls finish with success false, and Temporal's status is Failed", async () => {
    const finish = { name: 'finish', input: { result: 'Half of it.', success: false, reason: 'It is dark.' } };
    const { result, status } = await runToEnd({ strategy: 'autonomous' }, [{ calls: [finish] }]);
    expect(result).toMatchObject({ outcome: 'failure', success: false, partial: 'Half of it.' });
    expect(status).toBe('FAILED');
  });

  it("is refused if the model refuses, and Temporal's status is Failed", async () => {
    const { result, status } = await runToEnd({}, [{ text: 'I would rather not.', stopReason: 'refusal' }]);
    expect(result).toMatchObject({ outcome: 'refused', answer: null, steps: 1 });
    expect(status).toBe('FAILED');
  });

  it('is failure after three unreadable replies in a row', async () => {
    const empty = { text: '' };
    const { result } = await runToEnd({}, [empty, empty, empty]);
    expect(result).toMatchObject({ outcome: 'failure', reasonCode: 'unreadable_replies', steps: 3 });
  });
});

describe('a start', () => {
  const agent = defineAgent(definition);

  it('with an id that exists throws, joins the chain or starts it again, as ifExists requires', async () => {
    await withWorker({ agents: [agent], replies: [{ hang: true }] }, async ({ longhand, models }) => {
      const first = await longhand.start(agent, 'Find it', { chainId: `once-${randomUUID()}` });
      const again = { chainId: first.chainId };
      await expect(longhand.start(agent, 'Find it', again)).rejects.toMatchObject({ code: 'chain_exists' });
      const joined = await longhand.start(agent, 'Find it', { ...again, ifExists: 'join' });
      await expect.poll(() => models.requests.length).toBe(1);
      await joined.cancel({ by: 'ana', reason: 'enough' });
      expect(await first.result()).toMatchObject({ outcome: 'cancelled', reasonCode: 'cancelled' });
      models.push({ text: 'done' });
      await expect(longhand.start(agent, 'Find it', again)).rejects.toMatchObject({ code: 'chain_exists' });
      const ended = await longhand.start(agent, 'Find it', { ...again, ifExists: 'join' });
      expect(await ended.result()).toMatchObject({ outcome: 'cancelled' });
      const restarted = await longhand.start(agent, 'Find it', { ...again, ifExists: 'again' });
      expect(await restarted.result()).toMatchObject({ outcome: 'success' });
    });
  });

  it('of an agent that no worker has waits for one, and can be cancelled', async () => {
    await withWorker({ agents: [agent] }, async ({ longhand }) => {
      const chain = await longhand.start('nobody', 'Find it');
      const readNotices = async () => (await chain.read()).notices;
      await expect
        .poll(readNotices)
        .toMatchObject([{ code: 'requeued', text: expect.stringContaining('the agent nobody') }]);
      await chain.cancel({ by: 'ana' });
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled', steps: 0 });
    });
  });
});
