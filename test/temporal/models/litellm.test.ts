/** Chains through LiteLLM's own proxy: they have the steps that they have without it, over both APIs to models of both APIs. */

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainHandle } from '../../../src/entries/client.js';
import type { ModelProvider } from '../../../src/entries/models.js';
import type { Json } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { litellmLack, litellmPython } from '../../support/litellm.js';
import { exactNames, useLitellm, ways } from '../../support/litellm-front.js';
import { readSteps, type ShortChain, tenChains } from '../../support/ten-chains.js';

/** A cut stream and an overloaded provider have other notices behind a proxy, which answers with errors of its own. */
const chains = tenChains.filter(({ replies }) =>
  replies.every((reply) => !('cutAtByte' in reply || 'status' in reply)),
);
const agents = [...new Set(tenChains.map(({ agent }) => agent))];
const { agent: calling } = tenChains.find(({ agent }) => agent.name === 'calling') as ShortChain;
const wires = ['Messages', 'Chat Completions'] as const;

const folder = mkdtempSync(join(tmpdir(), 'longhand-prices-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The prices of the proxy's models, by the names that agents use. */
function writePrices(): string {
  const file = join(folder, 'prices.json');
  const price = { input_cost_per_token: 0.000001, output_cost_per_token: 0.00001 };
  writeFileSync(file, JSON.stringify({ claude: price, gpt: price, 'claude-or-gpt': price }));
  return file;
}

describe.skipIf(litellmPython === null)(`chains through LiteLLM's proxy${litellmLack}`, () => {
  const getFront = useLitellm();

  const directSteps = new Map<string, Json>();
  beforeAll(async () => {
    await withWorker({ agents }, async ({ longhand, models }) => {
      for (const { name, agent, replies } of chains) {
        models.push(...replies);
        const chain = await longhand.start(agent, 'What is there?');
        await chain.result();
        directSteps.set(name, await readStepsOf(chain, 'claude-sonnet-5-5'));
      }
    });
  });

  it.each(ways)('over %s to %s have the same steps as without it, and are charged', async (wire, upstream) => {
    const { createProvider, upstreams } = getFront();
    const server = upstreams[upstream];
    const worker = { providers: [createProvider(wire)], prices: writePrices() };
    await withWorker({ agents, worker }, async ({ longhand }) => {
      for (const { name, agent, replies, outcome, answer } of chains) {
        server.push(...replies);
        const chain = await longhand.start(agent, 'What is there?', { model: upstream });
        const result = await chain.result();
        expect([name, server.rejected]).toEqual([name, []]);
        expect({ name, ...result }).toMatchObject({ name, outcome, ...(answer === undefined ? {} : { answer }) });
        expect([name, await readStepsOf(chain, exactNames[upstream])]).toEqual([name, directSteps.get(name)]);
        expect(result.costUsd).toBeGreaterThan(0);
      }
    });
  });

  it.each(wires)(
    'over %s shows the model of a fallback, and charges the price of the one that was named',
    async (wire) => {
      const { createProvider, upstreams } = getFront();
      const worker = { providers: [createProvider(wire)], prices: writePrices() };
      await withWorker({ agents, worker }, async ({ longhand }) => {
        upstreams.claude.push({ status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } });
        upstreams.gpt.push({ text: 'A chest.', usage: { input: 1_000, output: 100 } });
        const chain = await longhand.start(calling, 'What is there?', { model: 'claude-or-gpt' });
        expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'A chest.', costUsd: 0.002 });
        const { steps, notices } = await chain.read();
        expect(steps.map(({ model }) => model)).toEqual([exactNames.gpt]);
        expect(notices).toEqual([]);
      });
    },
  );

  it.each(wires)('over %s outlive a rate limit, and a rejected key holds them until its repair', async (wire) => {
    const { createProvider, upstreams } = getFront();
    const wrong = createProvider(wire, `sk-${'0'.repeat(24)}`);
    let provider = wrong;
    const worker: { readonly providers: readonly ModelProvider[] } = {
      providers: [{ name: 'litellm', call: (...call) => provider.call(...call) }],
    };
    await withWorker({ agents, worker }, async ({ longhand }) => {
      const tenant = `t-${randomUUID()}`;
      const chain = await longhand.start(calling, 'What is there?', { model: 'gpt', tenant });
      const held = async () => (await longhand.listInbox({ tenant }))[0]?.held;
      await expect.poll(held).toMatchObject({ failure: 'authentication', attempts: 1 });
      provider = createProvider(wire);
      upstreams.gpt.push({ status: 429, headers: { 'retry-after': '1' } }, { text: 'A chest.' });
      await chain.resume({ by: 'ann' });
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'A chest.' });
    });
  });
});

/** The steps without the name of their model, which is `name` in all of them. */
async function readStepsOf(chain: ChainHandle, name: string): Promise<Json> {
  const steps = JSON.stringify(await readSteps(chain));
  return JSON.parse(steps.replaceAll(`"model":${JSON.stringify(name)}`, '"model":"the same"')) as Json;
}
