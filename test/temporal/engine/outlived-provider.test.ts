/**
 * A chain outlives its provider: it waits through an outage by durable timers, and a failure that a person has to repair
 * holds it until the repair.
 */

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { checkServer } from '../../../src/cli/doctor/temporal-server.js';
import { findFreePort } from '../../../src/cli/server/ports.js';
import { heldChainsQuery } from '../../../src/contract/search-attributes.js';
import { anthropicProvider, type ModelProvider } from '../../../src/entries/models.js';
import { type AgentDefinition, defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { note } from '../../support/tools.js';

const createAgent = (definition: Partial<AgentDefinition> = {}) =>
  defineAgent({ name: 'patient', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [note], ...definition });

const step: ScriptedReply = { calls: [{ name: 'note', input: { text: 'a' } }] };
const done: ScriptedReply = { text: 'All done.' };
const wrongKey: ScriptedReply = { status: 401, error: { type: 'authentication_error', message: 'invalid x-api-key' } };

it('a rejected key holds a chain: it is in the inbox with the fix, and continues once a person has resumed it', async () => {
  const agent = createAgent();
  await withWorker({ agents: [agent], replies: [step, wrongKey, wrongKey, done] }, async ({ longhand, models }) => {
    const tenant = `t-${randomUUID()}`;
    const chain = await longhand.start(agent, 'Go', { tenant });
    const count = async () => {
      const query = `${heldChainsQuery} AND WorkflowId = '${chain.chainId}'`;
      return (await longhand.client.workflow.count(query)).count;
    };
    await expect.poll(count).toBe(1);
    const held = async () => (await longhand.listInbox({ tenant }))[0]?.held;
    expect(await held()).toMatchObject({ failure: 'authentication', attempts: 1, nextAt: expect.any(Number) });
    const read = await chain.read();
    expect(read.notices).toMatchObject([
      { code: 'held', text: expect.stringContaining('Set a valid key of this provider') },
    ]);

    await chain.resume({ by: 'ann' });
    await expect.poll(async () => (await held())?.attempts).toBe(2);
    await chain.resume({ by: 'ann' });
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
    expect(models.requests).toHaveLength(4);
    await expect.poll(count).toBe(0);
  });
});

it('an unknown host holds a chain: the inbox names the address, and a worker with the right one completes the chain', async () => {
  const agent = createAgent({ modelRetry: { maxInterval: 20 } });
  // DNS is not asked for an empty label.
  const misspelled = anthropicProvider({ name: 'anthropic', baseURL: 'http://nowhere..invalid', apiKey: 'test' });
  await withWorker({ agents: [agent], replies: [step, done], worker: { providers: [misspelled] } }, async (test) => {
    const { longhand, models } = test;
    const tenant = `t-${randomUUID()}`;
    const chain = await longhand.start(agent, 'Go', { tenant });
    const held = async () => (await longhand.listInbox({ tenant }))[0]?.held;
    await expect.poll(held).toMatchObject({ by: 'provider', failure: 'unknown_host', attempts: 6 });
    const read = await chain.read();
    const texts = read.notices.filter(({ code }) => code === 'held').map(({ text }) => text);
    expect(texts).toEqual([expect.stringMatching(/DNS has no host nowhere\.\.invalid .*LONGHAND_MODEL_URL/)]);

    const checks = await checkServer({}, getTemporalAddress());
    expect(checks.find(({ name }) => name === 'Held chains')).toMatchObject({
      status: 'warning',
      found: expect.stringMatching(/\d held by the provider/),
      remedy: expect.stringContaining('`longhand resume --all --held-by provider`'),
    });

    await test.worker.stop();
    const provider = anthropicProvider({ name: 'anthropic', baseURL: models.url, apiKey: 'test' });
    await test.startWorker({ providers: [provider] });
    await chain.resume({ by: 'ann' });
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'All done.', steps: 2 });
    expect(models.requests).toHaveLength(2);
  });
});

it('an outage of the provider ends no chain: the call is made again until it succeeds, and nothing is charged', async () => {
  const agent = createAgent({ modelRetry: { maxInterval: 100 } });
  await withWorker({ agents: [agent], replies: [step, done] }, async (test) => {
    await test.worker.stop();
    const answering = anthropicProvider({ baseURL: test.models.url, apiKey: 'test' });
    const away = anthropicProvider({ baseURL: `http://127.0.0.1:${await findFreePort()}`, apiKey: 'test' });
    let calls = 0;
    // The provider answers the first call, and then fails ten times.
    const provider: ModelProvider = {
      name: 'anthropic',
      call: (...call) => (calls++ === 0 || calls > 11 ? answering : away).call(...call),
    };
    await test.startWorker({ providers: [provider] });
    const chain = await test.longhand.start(agent, 'Go');
    const result = await chain.result();
    expect(result).toMatchObject({ outcome: 'success', steps: 2 });
    const [read, { tokens }] = [await chain.read(), await chain.describe()];
    // Of attempts 6 to 9 there is no notice.
    expect(read.notices.map(({ code }) => code)).toEqual(Array(6).fill('model_retry'));
    expect(tokens).toBe(result.usage.input + result.usage.output + result.usage.cacheRead + result.usage.cacheWrite);
  });
});
