/** Budgets and rates over several workers, with the store that they share: what a model server receives, and what the ledger counts. */

import { expect, it, vi } from 'vitest';
import { anthropicProvider } from '../../../src/entries/models.js';
import { openStore } from '../../../src/entries/store.js';
import type { Budget, LonghandWorkerOptions } from '../../../src/entries/worker.js';
import { defineAgent } from '../../../src/index.js';
import { createBudgetStore } from '../../../src/store/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import { freshFile, freshPostgres } from '../../support/stores.js';

const clerk = defineAgent({ name: 'clerk', model: 'claude-haiku-5-5', maxTokens: 1_024, localCalls: false });
const reply = { text: 'Done.', usage: { input: 200, output: 50 } };

interface Setup extends Partial<LonghandWorkerOptions> {
  readonly workers?: number;
}

/** Runs the body with workers of their own ledger, in a store of their own. */
async function withLedger(
  where: string,
  { workers = 1, ...options }: Setup,
  body: (test: ChainTest) => Promise<void>,
): Promise<void> {
  await withWorker({ agents: [clerk], replies: () => reply }, async (test) => {
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
      const readFailures = async () =>
        (await Promise.all(chains.map((chain) => chain.read()))).map(({ state }) => state.failing?.failure);
      await vi.waitFor(async () =>
        expect((await readFailures()).filter((failure) => failure === 'budget')).toHaveLength(7),
      );
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
      const waiting = (await Promise.all(chains.map((chain) => chain.read()))).find(
        ({ state }) => state.failing !== null,
      );
      const notices = waiting?.notices ?? [];
      expect(notices.map(({ code }) => code)).toEqual(['budget_refused']);
      expect(notices[0]?.text).toMatch(
        /^Refused by the budget of tenant acme per day: 0 calls of 5 calls is left until /,
      );
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
