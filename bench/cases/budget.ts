/** A check of budgets, on both databases: what it takes to reserve a model call in three budgets and at a rate, and to settle it. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBudgetStore, createLedger, openStore, type SpendingCall, type Store } from '../../src/store/index.js';
import { startPostgres } from '../../test/support/postgres.js';
import type { Case } from '../case.js';
import { between } from '../plausible.js';
import { promises } from '../promises.js';
import { medianTime, type Repeats, type Time, timeWork } from '../repeat.js';

interface BudgetSize {
  /** Checks of a measurement. */
  readonly checks: number;
  readonly repeats: Repeats;
  readonly maxCpuMs: number;
}

export interface BudgetRow {
  readonly database: 'sqlite' | 'postgres';
  /** Of one check, in this process. */
  readonly ms: number;
  readonly cpuMs: number;
}

export const budget: Case<BudgetRow, BudgetSize> = {
  full: { checks: 500, repeats: { times: 9, warmUp: 3 }, maxCpuMs: promises.budgetCheckCpuMs },
  smoke: { checks: 10, repeats: { times: 1, warmUp: 1 }, maxCpuMs: Number.POSITIVE_INFINITY },
  measure: async ({ progress }, size) => {
    const folder = await mkdtemp(join(tmpdir(), 'longhand-bench-budget-'));
    const postgres = await startPostgres();
    try {
      const rows: BudgetRow[] = [];
      for (const where of [join(folder, 'store.db'), postgres.url]) {
        const store = await openStore(where);
        progress(`checks of budgets in ${store.kind}`);
        rows.push(await measureChecks(store, size).finally(store.close));
      }
      return rows;
    } finally {
      await postgres.stop();
      await postgres.remove();
      await rm(folder, { recursive: true, force: true });
    }
  },
  columns: [
    ['database', (row) => row.database],
    ['ms', (row) => row.ms.toFixed(2)],
    ['CPU ms', (row) => row.cpuMs.toFixed(2)],
  ],
  expected: () =>
    (['sqlite', 'postgres'] as const).map((database) => {
      return { database, ms: between(0.05, 10_000), cpuMs: between(0.05, 10_000) };
    }),
  contradictions: () => [],
  misses: (rows, { maxCpuMs }) =>
    rows.flatMap(({ database, cpuMs }) =>
      cpuMs <= maxCpuMs ? [] : [`${database}: a check takes ${cpuMs} ms of CPU; required: ${maxCpuMs} ms.`],
    ),
  findings: (rows) =>
    rows.map(({ database, ms, cpuMs }) => `${database}: a check takes ${cpuMs} ms of CPU, and ${ms} ms.`),
};

async function measureChecks(store: Store, { checks, repeats }: BudgetSize): Promise<BudgetRow> {
  const budgets = createBudgetStore(store, 'bench');
  await budgets.set({ tenant: '*', per: 'day', usd: 1e6 }, 'worker');
  await budgets.set({ tenant: '*', model: '*', per: 'hour', tokens: 1e12 }, 'worker');
  await budgets.set({ per: 'month', usd: 1e6 }, 'worker');
  const ledger = createLedger(store);
  const rates = [{ endpoint: 'provider:bench', rate: { requests: 1e6, perMs: 60_000 } }];
  let made = 0;
  const check = async () => {
    made += 1;
    const call: SpendingCall = {
      ...{ namespace: 'bench', tenant: 'acme', agent: 'clerk', model: { name: 'claude', id: 'claude-5' } },
      ...{ id: `${made}`, ticket: `${made}`, amounts: { calls: 1, tokens: 9_000, usd: 0.04 }, isPriced: true },
      ...{ ttlMs: 60_000, rates, maxWaitMs: 1_000, mayQueue: true },
    };
    const { admission } = await ledger.reserve(call);
    if (admission.kind !== 'reserved') throw new Error(`A call was not admitted: ${admission.kind}`);
    await ledger.settle(call, { used: { calls: 1, tokens: 4_000, usd: 0.01 }, isSent: true, retryAfterMs: null });
  };
  const times: Time[] = [];
  for (let turn = 0; turn < repeats.warmUp + repeats.times; turn += 1) {
    const time = await timeWork(async () => {
      for (let n = 0; n < checks; n += 1) await check();
    });
    if (turn >= repeats.warmUp) times.push(time);
  }
  const { ms, cpuMs } = medianTime(times);
  const perCheck = (total: number) => Math.round((100 * total) / checks) / 100;
  return { database: store.kind, ms: perCheck(ms), cpuMs: perCheck(cpuMs) };
}
