/** Rates: the calls of all workers together never exceed the rate of an endpoint, use it, and wait once. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Admission, createLedger, type Rate, type SpendingCall } from '../../../src/store/index.js';
import { addToLog, findStart } from '../../../src/store/ledger/rate-log.js';
import { budget } from '../../support/budget.js';
import { alsoOnPostgres, describeStores } from '../../support/stores.js';

const noon = Date.UTC(2026, 10, 22, 12);
const spender = { namespace: 'default', tenant: null, agent: 'clerk', model: { name: 'claude', id: 'claude-5' } };

/** A call of one request. */
function createCall(id: string, rates: SpendingCall['rates']) {
  const call = { ...spender, id, ticket: id, amounts: { calls: 1 }, isPriced: true, ttlMs: 60_000, rates };
  return { ...call, mayQueue: true };
}

interface MadeCall {
  readonly start: number;
  tokens: number;
}

/** Returns the most calls and tokens that started within any period. */
function findPeaks(made: readonly MadeCall[], perMs: number) {
  const sorted = [...made].sort((a, b) => a.start - b.start);
  const windows = sorted.map(({ start }) => sorted.filter((each) => each.start >= start && each.start < start + perMs));
  return {
    requests: Math.max(...windows.map((calls) => calls.length)),
    tokens: Math.max(...windows.map((calls) => calls.reduce((sum, { tokens }) => sum + tokens, 0))),
  };
}

describeStores((open) => {
  it('four workers at 100 requests a minute: never above, at least 95 % used, and each call waits once', async () => {
    const minutes = budget(3, 6);
    let at = noon;
    const store = await open();
    const workers = Array.from({ length: 4 }, () => createLedger(store, () => at));
    const rates = [{ endpoint: 'endpoint:anthropic', rate: { requests: 100, perMs: 60_000 } }];
    const made: MadeCall[] = [];
    const waits = new Map<string, number>();
    const events = Array.from({ length: 400 }, (_, chain) => ({ at: noon + chain, chain, step: 1 }));
    for (;;) {
      events.sort((a, b) => a.at - b.at);
      const event = events.shift();
      if (event === undefined || event.at > noon + minutes * 60_000) break;
      const { chain, step } = event;
      at = event.at;
      const id = `${chain}/${step}`;
      const call = { ...createCall(id, rates), maxWaitMs: 3_000 };
      const { admission } = await (workers[chain % 4] as (typeof workers)[number]).reserve(call);
      if (admission.kind === 'reserved') {
        made.push({ start: at + admission.startsInMs, tokens: 0 });
        events.push({ at: at + admission.startsInMs + 4_000, chain, step: step + 1 });
      } else {
        waits.set(id, (waits.get(id) ?? 0) + 1);
        // A timer of Temporal may be late.
        events.push({ at: at + getWait(admission) - 2_000 + ((chain * 37) % 3_900), chain, step });
      }
    }
    expect(findPeaks(made, 60_000).requests).toBeLessThanOrEqual(100);
    const used = made.filter(({ start }) => start < noon + minutes * 60_000).length;
    expect(used).toBeGreaterThanOrEqual(0.95 * 100 * minutes);
    expect([...new Set(waits.values())]).toEqual([1]);
  });

  it('tokens that a call did not use are free for others, and no period has more than the rate', async () => {
    let at = noon;
    const ledger = createLedger(await open(), () => at);
    const rate: Rate = { tokens: 10_000, perMs: 60_000 };
    const rates = [{ endpoint: 'endpoint:anthropic', rate }];
    const made: MadeCall[] = [];
    for (let n = 0; at < noon + 240_000; n += 1) {
      const call: SpendingCall = {
        ...{
          ...spender,
          id: `${n}`,
          ticket: `${n}`,
          amounts: { calls: 1, tokens: 4_000 },
          isPriced: true,
          ttlMs: 60_000,
          rates,
        },
        maxWaitMs: 600_000,
        mayQueue: true,
      };
      const { admission } = await ledger.reserve(call);
      at += getWait(admission);
      const used = 200 + ((n * 731) % 1_500);
      made.push({ start: at, tokens: used });
      at += 1_000;
      await ledger.settle(call, { used: { calls: 1, tokens: used }, isSent: true, retryAfterMs: null });
    }
    const peaks = findPeaks(made, 60_000);
    expect(peaks.tokens).toBeLessThanOrEqual(10_000);
    // With whole reservations, two calls would fill a minute.
    expect(peaks.requests).toBeGreaterThan(6);
  });

  it('a call that does not come back gets no start: the queue is only of those that wait', async () => {
    let at = noon;
    const ledger = createLedger(await open(), () => at);
    const rates = [{ endpoint: 'endpoint:busy', rate: { requests: 10, perMs: 60_000 } }];
    const admit = async (n: number, mayQueue: boolean) => {
      return (await ledger.reserve({ ...createCall(`${n}`, rates), maxWaitMs: 3_000, mayQueue })).admission;
    };
    for (let n = 0; n < 600; n += 1) {
      await admit(n, false);
      at += 500;
    }
    expect(getWait(await admit(600, true))).toBeLessThanOrEqual(62_500);
  });

  it('a queue of more than an hour takes no more calls, and none exceeds the rate in it', async () => {
    let at = noon;
    const ledger = createLedger(await open(), () => at);
    const rates = [{ endpoint: 'endpoint:slow', rate: { requests: 1, perMs: 60_000 } }];
    const made: MadeCall[] = [];
    for (let n = 0; n < 90; n += 1) {
      const { admission } = await ledger.reserve({ ...createCall(`${n}`, rates), maxWaitMs: 7_200_000 });
      if (admission.kind === 'reserved') made.push({ start: at + admission.startsInMs, tokens: 0 });
      else expect(admission).toMatchObject({ kind: 'queued', startsInMs: 3_600_000 });
      at += 1;
    }
    expect(made.length).toBeGreaterThan(55);
    expect(made.length).toBeLessThanOrEqual(60);
    expect(findPeaks(made, 60_000).requests).toBe(1);
  });

  it('no call starts before the time that an endpoint asked for, and one that was not sent uses nothing', async () => {
    let at = noon;
    const ledger = createLedger(await open(), () => at);
    const rates = [{ endpoint: 'endpoint:openai', rate: { requests: 2, perMs: 60_000 } }];
    const create = (id: string): SpendingCall => ({ ...createCall(id, rates), maxWaitMs: 0 });
    const admit = async (id: string) => (await ledger.reserve(create(id))).admission;
    const first = [await admit('1'), await admit('2'), await admit('3')];
    expect(first.map(({ kind }) => kind)).toEqual(['reserved', 'reserved', 'queued']);
    expect(getWait(first[2] as Admission)).toBeLessThanOrEqual(62_500);
    await ledger.settle(create('2'), { used: {}, isSent: false, retryAfterMs: null });
    await ledger.settle(create('1'), { used: { calls: 1 }, isSent: true, retryAfterMs: 90_000 });
    at = noon + getWait(first[2] as Admission);
    const later = await admit('3');
    expect(later.kind).toBe('queued');
    expect(at + getWait(later)).toBe(noon + 90_000);
    at = noon + 90_000;
    expect([await admit('3'), await admit('4')]).toEqual([
      { kind: 'reserved', startsInMs: 0 },
      { kind: 'reserved', startsInMs: 0 },
    ]);
  });
}, alsoOnPostgres);

function getWait(admission: Admission): number {
  return 'startsInMs' in admission ? admission.startsInMs : Number.NaN;
}

describe('a log of starts', () => {
  it('is bounded, in order, and has no period above its rate', () => {
    const calls = fc.array(fc.record({ gap: fc.nat({ max: 40_000 }), tokens: fc.nat({ max: 1_500 }) }), {
      maxLength: 80,
    });
    const rates = fc.record({ requests: fc.integer({ min: 1, max: 20 }), tokens: fc.constantFrom(1_500, 5_000) });
    const property = fc.property(calls, rates, (some, limits) => {
      const rate: Rate = { ...limits, perMs: 60_000 };
      let at = noon;
      let log: Parameters<typeof findStart>[0] = [];
      const made: MadeCall[] = [];
      for (const { gap, tokens } of some) {
        at += gap;
        const start = findStart(log, rate, tokens, { at, notBefore: 0 });
        log = addToLog(log, rate, tokens, { start, at });
        expect(log.length).toBeLessThanOrEqual(125);
        expect(start).toBeGreaterThanOrEqual(made.at(-1)?.start ?? 0);
        made.push({ start, tokens });
      }
      if (made.length === 0) return;
      const peaks = findPeaks(made, 60_000);
      expect(peaks.requests).toBeLessThanOrEqual(limits.requests);
      expect(peaks.tokens).toBeLessThanOrEqual(limits.tokens);
    });
    fc.assert(property);
  });
});
