/** The ledger: many processes never overspend a limit, and no charge is lost. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/entries/store.js';
import { createLedger, type Ledger, type LedgerWindow, type ReserveRequest } from '../../../src/entries/store.js';
import { computeCurrentStart, computeWindowEnd, computeWindowStart } from '../../../src/store/ledger/ledger.js';
import { budget } from '../../support/budget.js';
import { runProcesses } from '../../support/store-process.js';
import { alsoOnPostgres, describeStores, sharedDatabases } from '../../support/stores.js';

const scope = { namespace: 'default', tenant: 'acme', model: 'claude' };
const noon = Date.UTC(2026, 10, 22, 12);

async function reservedId(ledger: Ledger, request: Partial<ReserveRequest> & Pick<ReserveRequest, 'amounts'>) {
  const reserved = await ledger.reserve({ scope, window: 'day', limits: {}, ...request });
  if (reserved.kind === 'rejected') throw new Error(`Rejected for ${reserved.limit}.`);
  return reserved.id;
}

describeStores((open) => {
  it('counts the used part of a reservation', async () => {
    const ledger = createLedger(await open());
    const ids = [];
    for (const tokens of [100, 200, 300]) {
      ids.push(await reservedId(ledger, { amounts: { calls: 1, tokens, usd: 0.29 } }));
    }
    expect(await ledger.getTotals(scope, 'day')).toMatchObject({ calls: 3, tokens: 600, usd: 0.87 });
    expect(await ledger.settle(ids[0] ?? '', { calls: 1, tokens: 40, usd: 0.1 })).toBe('settled');
    expect(await ledger.release(ids[1] ?? '')).toBe('settled');
    expect(await ledger.settle(ids[1] ?? '', { tokens: 5 })).toBe('expired');
    expect(await ledger.getTotals(scope, 'day')).toMatchObject({ calls: 2, tokens: 340, usd: 0.39 });
    expect(await ledger.getTotals(scope, 'hour')).toMatchObject({ calls: 0 });
    expect(await ledger.getTotals({ namespace: 'default', tenant: 'acme' }, 'day')).toMatchObject({ calls: 0 });
  });

  it('G1: rejects a reservation over a limit, with the limit and its reset time', async () => {
    const ledger = createLedger(await open(), () => noon + 1_000);
    const limits = { calls: 10, tokens: 1_000, usd: 1 };
    await reservedId(ledger, { amounts: { calls: 1, tokens: 600, usd: 0.7 }, limits });
    const tried = (amounts: ReserveRequest['amounts']) => ledger.reserve({ scope, window: 'day', amounts, limits });
    const resetsAt = Date.UTC(2026, 10, 23);
    expect(await tried({ tokens: 401 })).toEqual({ kind: 'rejected', limit: 'tokens', left: 400, resetsAt });
    expect(await tried({ usd: 0.31 })).toEqual({ kind: 'rejected', limit: 'usd', left: 0.3, resetsAt });
    expect(await tried({ tokens: 400, usd: 0.3, calls: 9 })).toMatchObject({ kind: 'reserved' });
    expect(await tried({ calls: 1 })).toEqual({ kind: 'rejected', limit: 'calls', left: 0, resetsAt });
    expect(await ledger.reserve({ scope, window: 'hour', amounts: { calls: 1 }, limits })).toMatchObject({
      kind: 'reserved',
    });
  });

  it('starts from zero with each window; earlier reservations remain in their window', async () => {
    let now = noon + 59_000;
    const ledger = createLedger(await open(), () => now);
    const request = { window: 'minute', amounts: { calls: 5 }, limits: { calls: 5 } } as const;
    const before = await reservedId(ledger, request);
    expect(await ledger.reserve({ scope, ...request })).toMatchObject({ kind: 'rejected', resetsAt: noon + 60_000 });
    now += 1_000;
    await reservedId(ledger, request);
    expect(await ledger.release(before)).toBe('settled');
    expect(await ledger.getTotals(scope, 'minute')).toMatchObject({ calls: 5, resetsAt: noon + 120_000 });
  });

  it('G2: charges an expired reservation in full', async () => {
    let now = noon;
    const store = await open();
    const ledger = createLedger(store, () => now);
    const lost = await reservedId(ledger, { amounts: { tokens: 300 }, ttl: '1m' });
    now += 60_000;
    expect(await ledger.settle(lost, { tokens: 1 })).toBe('expired');
    expect(await ledger.getTotals(scope, 'day')).toMatchObject({ tokens: 300 });
    await reservedId(ledger, { amounts: { tokens: 1 }, ttl: 1 });
    now += 120_000;
    await reservedId(ledger, { amounts: { tokens: 1 } });
    expect(await reservations(store)).toBe(1);
    expect(await ledger.getTotals(scope, 'day')).toMatchObject({ tokens: 302 });
  });

  it('G3: a clock that is set back reopens no window, and the window of a wrong clock blocks nothing', async () => {
    let now = noon;
    const ledger = createLedger(await open(), () => now);
    const request = { window: 'hour', amounts: { calls: 5 }, limits: { calls: 5 } } as const;
    await reservedId(ledger, request);
    now = noon - 1_000;
    expect(await ledger.reserve({ scope, ...request })).toMatchObject({ kind: 'rejected', resetsAt: noon + 3_600_000 });
    now = Date.UTC(2040, 0, 1);
    await reservedId(ledger, request);
    now = noon + 1_000;
    expect(await ledger.reserve({ scope, ...request })).toMatchObject({ kind: 'rejected', resetsAt: noon + 3_600_000 });
    now = noon + 3_600_000;
    await reservedId(ledger, request);
  });

  it('G1, G2: keep limits for any operations in any order', async () => {
    const store = await open();
    let round = 0;
    const action = fc.record({
      what: fc.constantFrom('reserve', 'reserve', 'settle', 'release', 'wait'),
      amount: fc.nat({ max: 40 }),
      which: fc.nat({ max: 5 }),
    });
    const property = fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
      let now = noon;
      const ledger = createLedger(store, () => now);
      const own = { ...scope, agent: `agent${round++}` };
      const held = new Map<string, { readonly amount: number; readonly until: number }>();
      let spent = 0;
      for (const { what, amount, which } of actions) {
        const id = [...held.keys()][which] ?? '';
        const open = held.get(id);
        if (what === 'reserve') {
          const amounts = { tokens: amount };
          const request = { scope: own, window: 'day', amounts, limits: { tokens: 100 }, ttl: 1_000 } as const;
          const reserved = await ledger.reserve(request);
          expect(reserved.kind).toBe(spent + amount <= 100 ? 'reserved' : 'rejected');
          if (reserved.kind === 'rejected') continue;
          held.set(reserved.id, { amount, until: now + 1_000 });
          spent += amount;
        } else if (what === 'wait') now += 10 * amount;
        else {
          const used = what === 'settle' ? Math.min(amount, open?.amount ?? 0) : 0;
          const settled = await (what === 'settle' ? ledger.settle(id, { tokens: used }) : ledger.release(id));
          expect(settled).toBe(open !== undefined && now < open.until ? 'settled' : 'expired');
          if (open !== undefined && settled === 'settled') spent += used - open.amount;
          held.delete(id);
        }
        expect((await ledger.getTotals(own, 'day')).tokens).toBe(spent);
      }
    });
    await fc.assert(property, { numRuns: 15 });
  });
}, alsoOnPostgres);

async function reservations({ db }: Store): Promise<number> {
  return (await db.selectFrom('ledger_reservations').selectAll().execute()).length;
}

describeStores((open) => {
  it('G1: several processes at once never overspend a limit, and no charge is lost', async () => {
    const store = await open();
    const module = new URL('./ledger-process.ts', import.meta.url);
    const processes = budget(2, 4);
    // Together they try for more than the limit, and none alone.
    const outputs = await runProcesses(processes, module, [await open.where(), String(240 / processes)]);
    const results = outputs.map(
      (text) => JSON.parse(text.slice(text.indexOf('{'))) as { used: number; granted: number },
    );
    const used = results.reduce((sum, each) => sum + each.used, 0);
    const { tokens } = await createLedger(store).getTotals({ namespace: 'default', tenant: 'acme' }, 'month');
    expect(tokens).toBe(used);
    expect(tokens).toBeLessThanOrEqual(300);
    expect(tokens).toBeGreaterThan(290);
    expect(results.filter(({ granted }) => granted > 0).length).toBeGreaterThan(1);
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
