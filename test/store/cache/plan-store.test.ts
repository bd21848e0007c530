/** Stored plans: per tenant and agent, expiring, bounded, sealed, and erased with their chain. */

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/core/model/defaults.js';
import type { StoredPlan } from '../../../src/core/model/plan.js';
import { createFixedKeySource } from '../../../src/encryption/master-keys.js';
import { createSealer } from '../../../src/encryption/sealer.js';
import { eraseChains } from '../../../src/store/archive/erase.js';
import { createPlanStore, deletePlans, erasePlans } from '../../../src/store/cache/plan-store.js';
import { openStore } from '../../../src/store/db/open.js';
import type { Store } from '../../../src/store/db/store.js';
import { alsoOnPostgres, describeStores } from '../../support/stores.js';

const namespace = 'default';
const acme = { tenant: 'acme', key: 'acme-clerk' };
const task = { id: 'a', description: 'Do a.', dependsOn: [], tools: [], confirm: [] };
const dayMs = 86_400_000;

const plan = (goal: string, more: Partial<StoredPlan> = {}): StoredPlan => ({
  ...{ tasks: [task], goal, chainId: `chain of ${goal}`, user: 'ada', startedAt: 1_000 },
  ...more,
});

/** Plans in a store, each a second after the one before. */
function createPlans(store: Store, start = 1_000_000) {
  let at = start;
  const clock = () => {
    at += 1_000;
    return at;
  };
  return { plans: createPlanStore(store, { namespace, sealer: null, now: clock }), wait: (ms: number) => (at += ms) };
}

const goalsOf = (plans: readonly StoredPlan[]) => plans.map(({ goal }) => goal);

describeStores((open) => {
  it('has the plans of a tenant and agent, the newest first, one for each goal', async () => {
    const { plans } = createPlans(await open());
    await plans.put(acme, plan('one'));
    await plans.put(acme, plan('two'));
    await plans.put(acme, plan(' one\n', { chainId: 'newer' }));
    await plans.put({ tenant: null, key: 'clerk' }, plan('mine'));
    expect(await plans.list(acme)).toEqual([plan(' one\n', { chainId: 'newer' }), plan('two')]);
    expect(goalsOf(await plans.list({ tenant: null, key: 'clerk' }))).toEqual(['mine']);
    const elsewhere = createPlanStore(await open(), { namespace: 'other', sealer: null });
    expect(await elsewhere.list(acme)).toEqual([]);
  });

  it('has no plan after 30 days, and at most 100 of an agent', async () => {
    const store = await open();
    const { plans, wait } = createPlans(store);
    await plans.put(acme, plan('old'));
    wait(defaults.planDays * dayMs);
    expect(await plans.list(acme)).toEqual([]);
    for (let at = 0; at <= defaults.plansKept; at += 1) await plans.put(acme, plan(`goal ${at}`));
    const goals = goalsOf(await plans.list(acme));
    expect(goals).toHaveLength(100);
    expect(goals).not.toContain('goal 0');
    expect(await store.db.selectFrom('reused_plans').select('id').execute()).toHaveLength(100);
  });

  it.each([
    ['its chain', { chainId: 'a' }, ['c']],
    ['its user', { user: 'ada' }, ['b', 'c']],
    ['its tenant', { tenant: 'acme' }, []],
  ] as const)(
    'erases a plan with %s, and stores none of a chain that was erased while it ran',
    async (_name, what, left) => {
      const store = await open();
      const { plans } = createPlans(store);
      await plans.put(acme, plan('a', { chainId: 'a' }));
      await plans.put(acme, plan('b', { chainId: 'a/1.1', user: 'bob' }));
      await plans.put(acme, plan('c', { chainId: 'ab', user: 'bob' }));
      const also = (tx: Parameters<typeof erasePlans>[0]) => erasePlans(tx, namespace, what);
      await eraseChains(store, what, { namespace, by: 'dpo', now: 5_000, also });
      expect(goalsOf(await plans.list(acme)).sort()).toEqual(left);
      await plans.put(acme, plan('a', { chainId: 'a' }));
      expect(goalsOf(await plans.list(acme)).sort()).toEqual(left);
      await plans.put(acme, plan('a', { chainId: 'a', startedAt: 6_000 }));
      expect(goalsOf(await plans.list(acme))).toContain('a');
    },
  );

  it('deletes the plan of a chain whose retention has ended, and not that of a later chain with its id', async () => {
    const store = await open();
    const { plans } = createPlans(store);
    await plans.put(acme, plan('a', { chainId: 'a' }));
    await deletePlans(store, { namespace, chainId: 'a' }, 0);
    expect(goalsOf(await plans.list(acme))).toEqual(['a']);
    await deletePlans(store, { namespace, chainId: 'a' }, 2_000_000);
    expect(await plans.list(acme)).toEqual([]);
  });

  it('seals goals and tasks with encryption; a plan that does not open is no plan', async () => {
    const store = await open();
    const createKeys = () =>
      createFixedKeySource({ current: 'k', keys: { k: { key: randomBytes(32).toString('base64') } } });
    const sealer = createSealer(createKeys(), undefined, 'plans');
    const plans = createPlanStore(store, { namespace, sealer });
    await plans.put(acme, plan('Pay Rumpelstiltskin.', { chainId: 'a' }));
    expect(goalsOf(await plans.list(acme))).toEqual(['Pay Rumpelstiltskin.']);
    expect(JSON.stringify(await store.db.selectFrom('reused_plans').selectAll().execute())).not.toContain('umpel');
    for (const other of [null, createSealer(createKeys(), undefined, 'plans')])
      expect(await createPlanStore(store, { namespace, sealer: other }).list(acme)).toEqual([]);
  });
}, alsoOnPostgres);

describe('a row that was altered', () => {
  it('is no plan, or a plan that is corrected', async () => {
    const store = await openStore('memory:');
    const { plans } = createPlans(store);
    await plans.put(acme, plan('one'));
    await plans.put(acme, plan('two'));
    await plans.put(acme, plan('three', { tasks: ['x'] as never }));
    await store.write((tx) =>
      tx.updateTable('reused_plans').set({ content: '{' }).where('chain_id', '=', 'chain of one').execute(),
    );
    await store.write((tx) =>
      tx.updateTable('reused_plans').set({ content: '{}' }).where('chain_id', '=', 'chain of two').execute(),
    );
    expect(await plans.list(acme)).toMatchObject([{ goal: 'three', tasks: [{ id: 'task_1', description: 'x' }] }]);
    await store.close();
  });
});
