/** Budgets in the store: set by workers' options and by people, and how much of them is used. */

import type { Kysely } from 'kysely';
import type { AuditedBudget } from '../../core/audit/index.js';
import { omitUndefined } from '../../core/lib/index.js';
import { type AuditedChange, appendAudit, createOutsideDraft } from '../audit/append.js';
import { readDatabaseClock } from '../db/clock.js';
import type { Store, StoreTransaction, Tables } from '../db/store.js';
import {
  addValues,
  type Budget,
  type BudgetKey,
  type BudgetScope,
  type CounterValues,
  findCounterBudget,
  formatBudget,
  fromCounterValue,
  getCounterKey,
  isOfOne,
  type LedgerAmounts,
  parseCounterKey,
  toCounterValues,
} from './budget.js';
import { type CounterRow, lockCounters, readCounters, toCurrentCounter, writeCounters } from './counters.js';
import { computeWindowEnd, type LedgerWindow } from './window.js';

/** A stored budget, with what its spenders used in the current window. */
export interface StoredBudget {
  readonly budget: Budget;
  /** `worker`: of the options of a worker, which may change it. `person`: only people change it. */
  readonly source: 'worker' | 'person';
  readonly setBy: string | null;
  /** Milliseconds since 1970. */
  readonly setAt: number;
  /** One for a budget without `*`. */
  readonly spenders: readonly BudgetSpender[];
}

/** What one spender of a budget used in the current window. */
export interface BudgetSpender extends BudgetScope {
  /** Spent and reserved. */
  readonly spent: Required<LedgerAmounts>;
  /** Added to the limits in this window. */
  readonly raised: Required<LedgerAmounts>;
  /** Milliseconds since 1970. */
  readonly resetsAt: number;
}

export interface BudgetStore {
  /** By scope and window. @throws {StoreError} */
  readonly list: () => Promise<readonly StoredBudget[]>;
  /** Sets a budget. The options of a worker do not change one that a person set. @throws {StoreError} */
  readonly set: (budget: Budget, change: AuditedChange | 'worker') => Promise<void>;
  /** Returns whether there was one. @throws {StoreError} */
  readonly remove: (key: BudgetKey, change: AuditedChange) => Promise<boolean>;
  /** Adds to the limits of one spender in the current window. Returns false without a budget. @throws {StoreError} */
  readonly raise: (spender: BudgetKey, amounts: LedgerAmounts, change: AuditedChange) => Promise<boolean>;
}

/** @param now for tests; default: the database's clock */
export function createBudgetStore(store: Store, namespace: string, now?: () => number): BudgetStore {
  const { db, write } = store;
  const audit = async (
    tx: StoreTransaction,
    budget: BudgetKey,
    what: Pick<AuditedBudget, 'change' | 'amounts'>,
    { who, at }: AuditedChange,
  ) => {
    const tenant = budget.tenant === undefined || budget.tenant === '*' ? null : budget.tenant;
    const event = { type: 'budget_changed', what: { ...what, budget: formatBudget(budget) } } as const;
    await appendAudit(tx, [createOutsideDraft({ namespace, tenant, who, at }, event)]);
  };
  const clock = (from: Kysely<Tables>) => (now === undefined ? readDatabaseClock(from, store) : Promise.resolve(now()));
  return {
    list: async () => {
      const rows = await selectOrdered(db, namespace);
      const at = await clock(db);
      const budgets = rows.map(({ budget }) => JSON.parse(budget) as Budget);
      const spenders = await listSpenders(db, namespace, budgets, at);
      return rows.map(({ source, set_by, set_at }, index): StoredBudget => {
        const budget = budgets[index] as Budget;
        return {
          ...{ budget, source: source === 'worker' ? 'worker' : 'person', setBy: set_by, setAt: set_at },
          spenders: spenders.filter((each) => each.budget === budget).map(({ spender }) => spender),
        };
      });
    },
    set: (budget, change) =>
      write(async (tx) => {
        const isPerson = change !== 'worker';
        const setBy = isPerson ? { set_by: change.who.by, source: 'person' } : { set_by: null, source: 'worker' };
        const row = { budget: JSON.stringify(budget), set_at: await clock(tx), ...setBy };
        await tx
          .insertInto('ledger_budgets')
          .values({ ...toKeyColumns(namespace, budget), ...row })
          .onConflict((conflict) => {
            const update = conflict.columns(['namespace', 'tenant', 'agent', 'model', 'window_kind']).doUpdateSet(row);
            return isPerson ? update : update.where('ledger_budgets.source', '=', 'worker');
          })
          .execute();
        if (isPerson) await audit(tx, budget, { change: 'set', amounts: pickAmounts(budget) }, change);
      }),
    remove: (budget, change) =>
      write(async (tx) => {
        const key = toKeyColumns(namespace, budget);
        const gone = await tx
          .deleteFrom('ledger_budgets')
          .where('namespace', '=', namespace)
          .where('tenant', '=', key.tenant)
          .where('agent', '=', key.agent)
          .where('model', '=', key.model)
          .where('window_kind', '=', key.window_kind)
          .returning('namespace')
          .execute();
        if (gone.length > 0) await audit(tx, budget, { change: 'removed', amounts: {} }, change);
        return gone.length > 0;
      }),
    raise: (spender, amounts, change) =>
      write(async (tx) => {
        const budgets = (await selectOrdered(tx, namespace)).map(({ budget }) => JSON.parse(budget) as Budget);
        if (!isOfOne(spender) || findCounterBudget(budgets, spender) === undefined) return false;
        const key = getCounterKey(namespace, spender);
        await lockCounters(tx, store, [key]);
        const [counter] = await readCounters(tx, [key], await clock(tx));
        if (counter === undefined) return false;
        const { row } = counter;
        const raised = addValues(getRaised(row), toCounterValues(amounts));
        // An alert about the raised limit is a new one.
        const members = {
          raised_calls: raised.calls,
          raised_tokens: raised.tokens,
          raised_usd: raised.usd,
          is_alerted: 0,
        };
        await writeCounters(tx, [{ ...row, ...members }]);
        await audit(tx, spender, { change: 'raised', amounts: pickAmounts(amounts) }, change);
        return true;
      }),
  };
}

function selectOrdered(db: Pick<StoreTransaction, 'selectFrom'>, namespace: string) {
  const all = db.selectFrom('ledger_budgets').selectAll().where('namespace', '=', namespace);
  return all.orderBy('tenant').orderBy('agent').orderBy('model').orderBy('window_kind').execute();
}

/** Lists the counters of the current windows with their budgets; a budget of one spender is listed before it is used. */
async function listSpenders(
  db: Pick<StoreTransaction, 'selectFrom'>,
  namespace: string,
  budgets: readonly Budget[],
  at: number,
): Promise<readonly { readonly budget: Budget; readonly spender: BudgetSpender }[]> {
  const rows = await db.selectFrom('ledger_counters').selectAll().orderBy('scope').execute();
  const used = rows.flatMap((stored) => {
    const spender = parseCounterKey(stored.scope);
    if (spender.namespace !== namespace) return [];
    const key: BudgetKey = { ...spender.scope, per: stored.window_kind as LedgerWindow };
    const budget = findCounterBudget(budgets, key);
    const { row } = toCurrentCounter(getCounterKey(namespace, key), stored, at);
    return budget === undefined ? [] : [{ budget, spender: { ...spender.scope, ...toUse(row) } }];
  });
  const unused = budgets.filter((budget) => isOfOne(budget) && !used.some((each) => each.budget === budget));
  return [
    ...used,
    ...unused.map((budget) => {
      const { row } = toCurrentCounter(getCounterKey(namespace, budget), undefined, at);
      const { tenant, agent, model } = budget;
      return { budget, spender: { ...omitUndefined({ tenant, agent, model }), ...toUse(row) } };
    }),
  ];
}

function toUse(row: CounterRow): Pick<BudgetSpender, 'spent' | 'raised' | 'resetsAt'> {
  const resetsAt = computeWindowEnd(row.window_kind, row.start);
  return { spent: toAmounts(row), raised: toAmounts(getRaised(row)), resetsAt };
}

/** Members of the budget that are no amounts are omitted, and amounts that it does not have. */
function pickAmounts({ calls, tokens, usd }: LedgerAmounts): LedgerAmounts {
  return omitUndefined({ calls, tokens, usd });
}

function getRaised({ raised_calls: calls, raised_tokens: tokens, raised_usd: usd }: CounterRow): CounterValues {
  return { calls, tokens, usd };
}

function toAmounts({ calls, tokens, usd }: CounterValues): Required<LedgerAmounts> {
  return { calls, tokens, usd: fromCounterValue('usd', usd) };
}

function toKeyColumns(namespace: string, { tenant = '', agent = '', model = '', per }: BudgetKey) {
  return { namespace, tenant, agent, model, window_kind: per };
}
