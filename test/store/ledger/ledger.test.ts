/** The ledger: many processes never exceed a budget, and no charge is lost. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/entries/store.js';
import {
  type Budget,
  createBudgetStore,
  createLedger,
  type Ledger,
  type LedgerAmounts,
  type LedgerWindow,
  type SpendingCall,
} from '../../../src/store/index.js';
import { computeCurrentStart, computeWindowEnd, computeWindowStart } from '../../../src/store/ledger/window.js';
import { budget } from '../../support/budget.js';
import { runProcesses } from '../../support/store-process.js';
import { alsoOnPostgres, describeStores, sharedDatabases } from '../../support/stores.js';

const noon = Date.UTC(2026, 10, 22, 12);
const acme = { namespace: 'default', tenant: 'acme', agent: 'clerk', model: { name: 'claude', id: 'claude-5' } };
const ada = { who: { by: 'ada', roles: [] }, at: noon };
let calls = 0;

function createCall(amounts: LedgerAmounts, options: Partial<SpendingCall> = {}): SpendingCall {
  calls += 1;
  return {
    ...acme,
    id: `call-${calls}`,
    amounts,
    ttlMs: 60_000,
    isPriced: true,
    rates: [],
    ticket: `call-${calls}`,
    maxWaitMs: 0,
    mayQueue: true,
    ...options,
  };
}

async function setBudgets(store: Store, budgets: readonly Budget[], now?: () => number): Promise<void> {
  for (const each of budgets) await createBudgetStore(store, 'default', now).set(each, ada);
}

async function reserve(ledger: Ledger, amounts: LedgerAmounts, options: Partial<SpendingCall> = {}) {
  const call = createCall(amounts, options);
  const { admission } = await ledger.reserve(call);
  if (admission.kind !== 'reserved') throw new Error(`Not reserved: ${JSON.stringify(admission)}`);
  return call;
}

function settle(ledger: Ledger, call: SpendingCall, used: LedgerAmounts) {
  return ledger.settle(call, { used, isSent: true, retryAfterMs: null });
}

/** Returns what the spenders of the only budget used, by tenant, agent or model. */
async function readSpent(store: Store, now?: () => number) {
  const [stored] = await createBudgetStore(store, 'default', now).list();
  return stored?.spenders.map(({ spent, resetsAt, ...scope }) => ({ ...scope, ...spent, resetsAt })) ?? [];
}

describeStores((open) => {
  it('counts the used part of a reservation', async () => {
    const store = await open();
    const ledger = createLedger(store);
    await setBudgets(store, [{ tenant: 'acme', per: 'month', usd: 5 }]);
    const made = [];
    for (const tokens of [100, 200, 300]) made.push(await reserve(ledger, { calls: 1, tokens, usd: 0.29 }));
    expect(await readSpent(store)).toMatchObject([{ tenant: 'acme', calls: 3, tokens: 600, usd: 0.87 }]);
    const [first, second] = made as [SpendingCall, SpendingCall];
    expect(await settle(ledger, first, { calls: 1, tokens: 40, usd: 0.1 })).toBe('settled');
    expect(await ledger.settle(second, { used: {}, isSent: false, retryAfterMs: null })).toBe('settled');
    expect(await settle(ledger, second, { tokens: 5 })).toBe('expired');
    expect(await readSpent(store)).toMatchObject([{ calls: 2, tokens: 340, usd: 0.39 }]);
  });

  it('G1: rejects a reservation over a limit, with the limit and its reset time', async () => {
    const store = await open();
    const now = () => noon + 1_000;
    const ledger = createLedger(store, now);
    await setBudgets(store, [{ tenant: 'acme', per: 'day', calls: 10, tokens: 1_000, usd: 1 }], now);
    const used = { calls: 1, tokens: 600, usd: 0.7 };
    await settle(ledger, await reserve(ledger, used), used);
    const admit = async (amounts: LedgerAmounts) => (await ledger.reserve(createCall(amounts))).admission;
    const rejected = { kind: 'rejected', resetsAt: Date.UTC(2026, 10, 23), resetsInMs: 12 * 3_600_000 - 1_000 };
    expect(await admit({ tokens: 401 })).toMatchObject({ ...rejected, counter: 'tokens', spent: 600, limit: 1_000 });
    expect(await admit({ usd: 0.31 })).toMatchObject({ ...rejected, counter: 'usd', spent: 0.7, limit: 1 });
    expect(await admit({ tokens: 400, usd: 0.3, calls: 9 })).toMatchObject({ kind: 'reserved' });
    expect(await admit({ calls: 1 })).toMatchObject({ ...rejected, counter: 'calls', spent: 1, isHeld: true });
    const other = await ledger.reserve(createCall({ calls: 1 }, { tenant: 'globex' }));
    expect(other.admission.kind).toBe('reserved');
  });

  it('G4: reserves in all budgets that apply, or in none', async () => {
    const store = await open();
    const ledger = createLedger(store);
    const month = { per: 'month', calls: 3 } as const;
    await setBudgets(store, [
      { tenant: '*', ...month },
      { tenant: 'globex', ...month, calls: 1 },
      { agent: 'clerk', ...month, calls: 100 },
      { tenant: '*', model: 'claude', ...month, calls: 2, onLimit: 'fallback' },
      { ...month, calls: 5, onLimit: 'end' },
    ]);
    const admit = async (options: Partial<SpendingCall>) => {
      const { admission } = await ledger.reserve(createCall({ calls: 1 }, options));
      return admission.kind === 'rejected' ? admission.budget : admission.kind;
    };
    const other = { model: { name: 'other', id: 'other-5' } };
    expect([await admit({}), await admit({})]).toEqual(['reserved', 'reserved']);
    expect(await admit({})).toMatchObject({ tenant: 'acme', model: 'claude', onLimit: 'fallback' });
    expect([await admit(other), await admit(other)]).toMatchObject(['reserved', { tenant: 'acme', calls: 3 }]);
    expect([await admit({ tenant: 'globex', ...other }), await admit({ tenant: 'globex', ...other })]).toMatchObject([
      'reserved',
      { tenant: 'globex', calls: 1 },
    ]);
    expect([await admit({ tenant: null, ...other }), await admit({ tenant: null })]).toMatchObject([
      'reserved',
      { calls: 5, onLimit: 'end' },
    ]);
    const used = await createBudgetStore(store, 'default').list();
    expect(
      used.flatMap(({ spenders }) => spenders.map(({ spent, ...scope }) => [scope.tenant, scope.model, spent.calls])),
    ).toEqual(
      expect.arrayContaining([
        ['acme', undefined, 3],
        ['globex', undefined, 1],
        ['acme', 'claude', 2],
        [undefined, undefined, 5],
      ]),
    );
  });

  it('G4: reserving twice with one id is reserving once', async () => {
    const store = await open();
    const ledger = createLedger(store);
    await setBudgets(store, [{ per: 'month', tokens: 100 }]);
    const call = await reserve(ledger, { tokens: 60 });
    expect((await ledger.reserve(call)).admission.kind).toBe('reserved');
    expect(await readSpent(store)).toMatchObject([{ tokens: 60 }]);
    await settle(ledger, call, { tokens: 10 });
    expect(await readSpent(store)).toMatchObject([{ tokens: 10 }]);
  });

  it('starts from zero with each window; earlier reservations remain in their window', async () => {
    const store = await open();
    let at = noon + 59_000;
    const now = () => at;
    const ledger = createLedger(store, now);
    await setBudgets(store, [{ per: 'minute', calls: 5 }], now);
    const before = await reserve(ledger, { calls: 5 });
    const rejected = await ledger.reserve(createCall({ calls: 5 }));
    expect(rejected.admission).toMatchObject({ kind: 'rejected', resetsAt: noon + 60_000, resetsInMs: 1_000 });
    at += 1_000;
    await reserve(ledger, { calls: 5 });
    expect(await settle(ledger, before, {})).toBe('settled');
    expect(await readSpent(store, now)).toMatchObject([{ calls: 5, resetsAt: noon + 120_000 }]);
  });

  it('G2: charges an expired reservation in full', async () => {
    let at = noon;
    const now = () => at;
    const store = await open();
    const ledger = createLedger(store, now);
    await setBudgets(store, [{ per: 'day', tokens: 1_000 }], now);
    const lost = await reserve(ledger, { tokens: 300 });
    at += 60_000;
    expect(await settle(ledger, lost, { tokens: 1 })).toBe('expired');
    expect(await readSpent(store, now)).toMatchObject([{ tokens: 300 }]);
    await reserve(ledger, { tokens: 1 }, { ttlMs: 1 });
    at += 120_000;
    await reserve(ledger, { tokens: 1 });
    await expect.poll(() => reservations(store)).toBe(1);
    expect(await readSpent(store, now)).toMatchObject([{ tokens: 302 }]);
  });

  it('G3: a clock that is set back reopens no window, and the window of a wrong clock blocks nothing', async () => {
    let at = noon;
    const now = () => at;
    const store = await open();
    const ledger = createLedger(store, now);
    await setBudgets(store, [{ per: 'hour', calls: 5 }], now);
    const admit = async () => (await ledger.reserve(createCall({ calls: 5 }))).admission;
    await reserve(ledger, { calls: 5 });
    at = noon - 1_000;
    expect(await admit()).toMatchObject({ kind: 'rejected', resetsAt: noon + 3_600_000 });
    at = Date.UTC(2040, 0, 1);
    await reserve(ledger, { calls: 5 });
    at = noon + 1_000;
    expect(await admit()).toMatchObject({ kind: 'rejected', resetsAt: noon + 3_600_000 });
    at = noon + 3_600_000;
    await reserve(ledger, { calls: 5 });
  });

  it('alerts once in a window, and again after a raise, which holds in its window only', async () => {
    let at = noon;
    const now = () => at;
    const store = await open();
    const ledger = createLedger(store, now);
    const daily: Budget = { tenant: '*', per: 'day', usd: 1 };
    await setBudgets(store, [daily], now);
    const alert = async (usd: number) => {
      const call = createCall({ usd });
      const { admission, alerts } = await ledger.reserve(call);
      if (admission.kind === 'reserved') await settle(ledger, call, { usd });
      return alerts;
    };
    expect([await alert(0.8), await alert(0.1), await alert(0.2)]).toEqual([
      [],
      [{ budget: { ...daily, tenant: 'acme' }, counter: 'usd', spent: 0.8, limit: 1, resetsAt: noon + 43_200_000 }],
      [],
    ]);
    const budgets = createBudgetStore(store, 'default', now);
    await budgets.raise({ tenant: 'acme', per: 'day' }, { usd: 0.2 }, ada);
    // 80 % of the raised limit is more than what was spent.
    expect(await alert(0.05)).toEqual([]);
    expect([await alert(0.2), await alert(0.3)]).toMatchObject([[], [{ limit: 1.2, spent: 1.15 }]]);
    at += 86_400_000;
    expect((await ledger.reserve(createCall({ usd: 1.1 }))).admission).toMatchObject({ kind: 'rejected', limit: 1 });
  });

  it('a call that only the reservations of others prevent is held; alerts count what was spent', async () => {
    const store = await open();
    const ledger = createLedger(store);
    await setBudgets(store, [{ per: 'month', usd: 10, onLimit: 'end' }]);
    const big = await reserve(ledger, { usd: 9 });
    const held = await ledger.reserve(createCall({ usd: 2 }));
    expect(held).toMatchObject({ admission: { kind: 'rejected', isHeld: true, spent: 0 }, alerts: [] });
    await settle(ledger, big, { usd: 0.02 });
    const next = await reserve(ledger, { usd: 8.5 });
    await settle(ledger, next, { usd: 8.5 });
    const last = await ledger.reserve(createCall({ usd: 2 }));
    expect(last).toMatchObject({ admission: { kind: 'rejected', isHeld: false }, alerts: [{ spent: 8.52 }] });
  });

  it('a budget of a model replaces the one of each model, by its name and by its id', async () => {
    const store = await open();
    const ledger = createLedger(store);
    await setBudgets(store, [
      { model: '*', per: 'month', calls: 1 },
      { model: 'claude', per: 'month', calls: 3 },
    ]);
    for (let n = 0; n < 3; n += 1) await reserve(ledger, { calls: 1 });
    expect((await ledger.reserve(createCall({ calls: 1 }))).admission).toMatchObject({ kind: 'rejected', limit: 3 });
  });

  it('the options of a worker do not change a budget that a person set', async () => {
    const budgets = createBudgetStore(await open(), 'default');
    const list = async () => (await budgets.list()).map(({ budget: { usd }, source, setBy }) => [usd, source, setBy]);
    const daily = { tenant: '*', per: 'day' } as const;
    await budgets.set({ ...daily, usd: 1 }, 'worker');
    await budgets.set({ ...daily, usd: 2 }, 'worker');
    expect(await list()).toEqual([[2, 'worker', null]]);
    await budgets.set({ ...daily, usd: 3 }, ada);
    await budgets.set({ ...daily, usd: 4 }, 'worker');
    expect(await list()).toEqual([[3, 'person', 'ada']]);
    expect([await budgets.remove(daily, ada), await budgets.remove(daily, ada)]).toEqual([true, false]);
  });

  it('G1, G2, G3: eight workers that crash never exceed a budget, also with a clock that jumps, and everything settles', async () => {
    const store = await open();
    let round = 0;
    const action = fc.record({
      what: fc.constantFrom('reserve', 'reserve', 'reserve', 'settle', 'crash', 'wait', 'jump'),
      worker: fc.nat({ max: 7 }),
      amount: fc.nat({ max: 40 }),
      isBig: fc.boolean(),
    });
    const property = fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      let at = noon;
      const now = () => at;
      const tenant = `tenant${round++}`;
      const budgets = createBudgetStore(store, 'default', now);
      await budgets.set({ tenant, per: 'hour', usd: 1 }, ada);
      await budgets.set({ tenant, per: 'day', usd: 2.5 }, ada);
      const workers = Array.from({ length: 8 }, () => ({ ledger: createLedger(store, now), open: [] as Held[] }));
      /** What was charged for calls, by the window of their admission: a call that is not settled counts in full. */
      const charged: Held[] = [];
      for (const { what, worker, amount, isBig } of actions) {
        const { ledger, open } = workers[worker] as (typeof workers)[number];
        if (what === 'wait') at += 60_000 * amount;
        else if (what === 'jump') at += (isBig ? 86_400_000 : 600_000) * (amount - 20);
        else if (what === 'crash') open.length = 0;
        else if (what === 'reserve') {
          const call = createCall({ usd: amount / 50 }, { tenant });
          const { admission } = await ledger.reserve(call);
          if (admission.kind !== 'reserved') continue;
          const held = { call, usd: amount / 50, until: at + call.ttlMs };
          open.push(held);
          charged.push(held);
        } else {
          const held = open.pop();
          if (held === undefined) continue;
          const used = (held.usd * amount) / 40;
          const settled = await settle(ledger, held.call, { usd: used });
          expect(settled).toBe(at < held.until ? 'settled' : 'expired');
          if (settled === 'settled') held.usd = Math.ceil(Number((used * 1e6).toFixed(3))) / 1e6;
        }
        for (const { budget: each, spenders } of await budgets.list())
          for (const { spent } of spenders.filter((spender) => spender.tenant === tenant))
            expect(spent.usd).toBeLessThanOrEqual(each.usd ?? 0);
      }
      const total = charged.reduce((sum, { usd }) => sum + usd, 0);
      const stored = (await budgets.list()).find(({ budget: each }) => each.tenant === tenant && each.per === 'day');
      // Without a jump of the clock, and within a day, every charge is counted once.
      if (actions.every(({ what }) => what !== 'jump') && at < noon + 43_200_000)
        expect(stored?.spenders[0]?.spent.usd ?? 0).toBeCloseTo(total, 5);
    });
    await fc.assert(property, { numRuns: budget(10, 25) });
  });
}, alsoOnPostgres);

interface Held {
  readonly call: SpendingCall;
  usd: number;
  readonly until: number;
}

async function reservations({ db }: Store): Promise<number> {
  return (await db.selectFrom('ledger_reservations').selectAll().execute()).length;
}

describeStores((open) => {
  it('G1: several processes at once never overspend a limit, and no charge is lost', async () => {
    const store = await open();
    await setBudgets(store, [
      { tenant: 'acme', per: 'month', tokens: 300 },
      { tenant: '*', model: '*', per: 'month', calls: 100_000 },
      { per: 'month', usd: 1_000 },
    ]);
    const module = new URL('./ledger-process.ts', import.meta.url);
    const processes = budget(2, 8);
    // Together they try for more than the limit, and none alone.
    const outputs = await runProcesses(processes, module, [await open.where(), String(240 / processes)]);
    const results = outputs.map(
      (text) => JSON.parse(text.slice(text.indexOf('{'))) as { used: number; granted: number },
    );
    const used = results.reduce((sum, each) => sum + each.used, 0);
    const granted = results.reduce((sum, each) => sum + each.granted, 0);
    const spent = (await createBudgetStore(store, 'default').list()).map(({ spenders }) => spenders[0]?.spent);
    expect(spent).toContainEqual({ calls: granted, tokens: used, usd: 0 });
    expect(used).toBeLessThanOrEqual(300);
    expect(used).toBeGreaterThan(290);
    expect(results.filter((each) => each.granted > 0).length).toBeGreaterThan(1);
  });
}, sharedDatabases);

describe('windows', () => {
  it.each<[LedgerWindow, number, number]>([
    ['minute', Date.UTC(2026, 10, 22, 12, 34), Date.UTC(2026, 10, 22, 12, 35)],
    ['hour', Date.UTC(2026, 10, 22, 12), Date.UTC(2026, 10, 22, 13)],
    ['day', Date.UTC(2026, 10, 22), Date.UTC(2026, 10, 23)],
    ['month', Date.UTC(2026, 10), Date.UTC(2026, 11)],
  ])('of a %s', (window, start, end) => {
    const at = Date.UTC(2026, 10, 22, 12, 34, 56, 789);
    expect([computeWindowStart(window, at), computeWindowEnd(window, start)]).toEqual([start, end]);
  });

  it('follow one another without a gap, and a counter never returns to an earlier one', () => {
    const windows = fc.constantFrom<LedgerWindow>('minute', 'hour', 'day', 'month');
    const times = fc.integer({ min: 0, max: 4_102_444_800_000 });
    const property = fc.property(windows, times, times, (window, at, known) => {
      const start = computeWindowStart(window, at);
      const end = computeWindowEnd(window, start);
      expect(start).toBeLessThanOrEqual(at);
      expect(end).toBeGreaterThan(at);
      expect(computeWindowStart(window, end)).toBe(end);
      const current = computeCurrentStart(window, computeWindowStart(window, known), at);
      expect(computeWindowStart(window, current)).toBe(current);
      expect(computeWindowEnd(window, current)).toBeGreaterThan(at);
    });
    fc.assert(property);
  });
});
