/** Budgets and rates over several workers, with the store that they share: what a model server receives, and what the ledger counts. */

import { expect, it, vi } from 'vitest';
import { anthropicProvider } from '../../../src/entries/models.js';
import { openStore } from '../../../src/entries/store.js';
import type { Budget, LonghandWorkerOptions } from '../../../src/entries/worker.js';
import { defineAgent } from '../../../src/index.js';
import { createBudgetStore } from '../../../src/store/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { freshFile, freshPostgres } from '../../support/stores.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';

const clerk = defineAgent({ name: 'clerk', model: 'claude-haiku-5-5', maxTokens: 1_024, localCalls: false });
const reply = { text: 'Done.', usage: { input: 200, output: 50 } };

interface Setup extends Partial<LonghandWorkerOptions> {
  readonly workers?: number;
  readonly replies?: () => ScriptedReply;
}

/** Runs the body with workers of their own ledger, in a store of their own. */
async function withLedger(
  where: string,
  { workers = 1, agents = [clerk], replies = () => reply, ...options }: Setup,
  body: (test: ChainTest) => Promise<void>,
): Promise<void> {
  await withWorker({ agents, replies }, async (test) => {
    await test.worker.stop();
    const providers = [anthropicProvider({ name: 'anthropic', baseURL: test.models.url, apiKey: 'test' })];
    for (let n = 0; n < workers; n += 1) await test.startWorker({ providers, store: where, ...options });
    await body(test);
  });
}

const ada = { who: { by: 'ada', roles: [] }, at: 0 };
const daily: Budget = { tenant: '*', per: 'day', calls: 5 };

it.each([
  ['SQLite', freshFile],
  ['Postgres', freshPostgres],
] as const)(
  'four workers with one ledger in %s make no call that a budget does not allow; the others wait',
  async (_name, create) => {
    const { where, remove } = await create();
    const settings = {
      workers: 4,
      budgets: [daily, { tenant: 'acme', model: '*', per: 'month', tokens: 1_000_000 }],
    } as const;
    await withLedger(where, settings, async ({ longhand, models }) => {
      const chains = await Promise.all(
        Array.from({ length: 12 }, () => longhand.start(clerk, 'Work.', { tenant: 'acme' })),
      );
      const other = await longhand.start(clerk, 'Work.', { tenant: 'globex' });
      expect(await other.result()).toMatchObject({ outcome: 'success' });
      // Some may wait for the reservations of others first.
      const readRejections = async () =>
        (await Promise.all(chains.map((chain) => chain.read()))).filter(({ notices }) =>
          notices.at(-1)?.text.includes('0 calls of 5 calls is left'),
        );
      await vi.waitFor(async () => expect(await readRejections()).toHaveLength(7));
      expect(models.requests).toHaveLength(6);
      const store = await openStore(where);
      const budgets = createBudgetStore(store as Parameters<typeof createBudgetStore>[0], 'default');
      const listed = await budgets.list();
      expect(
        listed.map(({ spenders }) => spenders.map(({ spent, ...spender }) => [spender.tenant, spender.model, spent])),
      ).toEqual(
        expect.arrayContaining([
          [
            ['acme', undefined, expect.objectContaining({ calls: 5, tokens: 1_250 })],
            ['globex', undefined, expect.objectContaining({ calls: 1, tokens: 250 })],
          ],
          [['acme', 'claude-haiku-5-5', expect.objectContaining({ calls: 5, tokens: 1_250 })]],
        ]),
      );
      const [waiting] = await readRejections();
      expect(waiting?.state.failing?.failure).toBe('budget');
      expect(waiting?.notices.at(-1)).toMatchObject({
        code: 'budget_rejected',
        text: expect.stringMatching(
          /^Rejected by the budget of tenant acme per day: 0 calls of 5 calls is left until /,
        ),
      });
      // A raise by a person, and each chain that is resumed tries again at once.
      await budgets.raise({ tenant: 'acme', per: 'day' }, { calls: 7 }, ada);
      await Promise.all(chains.map((chain) => chain.resume().catch(() => null)));
      const results = await Promise.all(chains.map((chain) => chain.result()));
      expect(results.every(({ outcome }) => outcome === 'success')).toBe(true);
      expect(models.requests).toHaveLength(13);
      await store.close();
    });
    await remove();
  },
);

it('an alert is a notice of the chain, once, and a budget that ends chains ends them', async () => {
  const { where, remove } = await freshFile();
  const budgets = [{ tenant: '*', per: 'month', calls: 2, alertAt: 0.5, onLimit: 'end' }] as const;
  await withLedger(where, { budgets }, async ({ longhand }) => {
    const run = async () => {
      const chain = await longhand.start(clerk, 'Work.', { tenant: 'acme' });
      return { result: await chain.result(), notices: (await chain.read()).notices.map(({ text }) => text) };
    };
    expect((await run()).notices).toEqual([]);
    expect((await run()).notices).toEqual([
      expect.stringMatching(/^50 % of the budget of tenant acme per month is used: 1 call of 2 calls until /),
    ]);
    const { result, notices } = await run();
    expect(result).toMatchObject({ outcome: 'token_budget', reasonCode: 'budget', steps: 0 });
    expect(notices).toEqual([
      expect.stringMatching(/^Rejected by the budget of tenant acme per month: 0 calls of 2 calls /),
    ]);
  });
  await remove();
});

it('a model without a price makes no call under a budget in dollars', async () => {
  const { where, remove } = await freshFile();
  const plain = defineAgent({ name: 'plain', model: 'claude-unknown-1', onProviderError: 'fail' });
  const settings = { agents: [plain], budgets: [{ per: 'day', usd: 5 }] } as const;
  await withLedger(where, settings, async ({ longhand, models }) => {
    const chain = await longhand.start(plain, 'Work.');
    expect(await chain.result()).toMatchObject({
      outcome: 'failure',
      reason: expect.stringContaining('the budget of all per day is in US dollars, and claude-unknown-1 has no price'),
    });
    expect(models.requests).toEqual([]);
  });
  await remove();
});

it('a store that is away holds the chains, which never spend without it', async () => {
  const { where, remove } = await freshPostgres();
  const proxy = await startTcpProxy(where);
  await withLedger(proxy.url, { budgets: [{ per: 'month', calls: 10 }] }, async ({ longhand, models }) => {
    await (await longhand.start(clerk, 'Work.')).result();
    proxy.cut();
    const chain = await longhand.start(clerk, 'Work.');
    await vi.waitFor(async () => expect((await chain.read()).state.failing?.failure).toBe('store_unavailable'));
    expect(models.requests).toHaveLength(1);
    proxy.mend();
    await chain.resume().catch(() => null);
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    expect(models.requests).toHaveLength(2);
  });
  await proxy.close();
  await remove();
});

it('four workers send no more than the rate of a provider in any period; the other calls wait for their turn', async () => {
  const { where, remove } = await freshPostgres();
  const perMs = 10_000;
  const starts: number[] = [];
  const replies = () => {
    starts.push(performance.now());
    return reply;
  };
  const settings = { workers: 4, replies, rates: { anthropic: { requests: 5, per: perMs } } } as const;
  await withLedger(where, settings, async ({ longhand }) => {
    const chains = await Promise.all(Array.from({ length: 9 }, () => longhand.start(clerk, 'Work.')));
    const results = await Promise.all(chains.map((chain) => chain.result()));
    expect(results.every(({ outcome }) => outcome === 'success')).toBe(true);
    const sorted = [...starts].sort((a, b) => a - b);
    for (const [n, start] of sorted.entries()) {
      const fifth = sorted[n + 5];
      if (fifth !== undefined) expect(fifth - start).toBeGreaterThan(perMs);
    }
    expect((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)).toBeLessThan(4 * perMs);
    const read = await Promise.all(chains.map((chain) => chain.read()));
    expect(read.flatMap(({ notices }) => notices)).toEqual([]);
  });
  await remove();
});
