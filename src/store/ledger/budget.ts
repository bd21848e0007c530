/**
 * Budgets: what the calls of tenants, agents and models may use in a calendar window.
 *
 * A budget with `*` is one for each: `{ tenant: '*', per: 'day', usd: 10 }` allows each tenant ten dollars. A budget that names a
 * tenant replaces it for that tenant.
 */

import { check, formatExactUsd, formatPlural, toCanonicalJson } from '../../core/lib/index.js';
import {
  type BudgetChoice,
  type BudgetCounter,
  budgetChoices,
  budgetCounters,
  budgetWindows,
} from '../../core/model/index.js';
import type { LedgerWindow } from './window.js';

export interface LedgerAmounts {
  readonly calls?: number;
  /** Input (cached too) and output tokens. */
  readonly tokens?: number;
  /** US dollars; counted in millionths. */
  readonly usd?: number;
}

export type LedgerCounter = BudgetCounter;
export type CounterValues = Required<LedgerAmounts>;

/** Whose calls. Absent: those of all together. `*`: a budget for each. */
export interface BudgetScope {
  readonly tenant?: string;
  readonly agent?: string;
  /** Name in the catalogue, or id at its provider. */
  readonly model?: string;
}

/** Calls, tokens or dollars in a window; at least one. */
export interface Budget extends BudgetScope, LedgerAmounts {
  /** Calendar window, in UTC. */
  readonly per: LedgerWindow;
  /** Default `wait`. */
  readonly onLimit?: BudgetChoice;
  /** Part of a limit at which an alert is emitted, once in a window. Default 0.8. */
  readonly alertAt?: number;
}

const checkName = check.optional(check.nonEmptyText);
const checkAmount = check.optional(
  check.define<number>((value) => typeof value === 'number' && value > 0 && Number.isFinite(value), 'must be above 0'),
);

const checkCount = check.optional(check.integerFrom(1));

const checkMembers = check.shape<Budget>({
  ...{ tenant: checkName, agent: checkName, model: checkName },
  ...{ calls: checkCount, tokens: checkCount, usd: checkAmount },
  per: check.oneOf(budgetWindows),
  onLimit: check.optional(check.oneOf(budgetChoices)),
  alertAt: check.optional(
    check.define<number>(
      (value) => typeof value === 'number' && value > 0 && value <= 1,
      'must be above 0, and 1 at most: the part of a limit at which an alert is emitted',
    ),
  ),
});

/** A budget has at least one limit. */
export const checkBudget: check.Check<Budget> = check.refine(
  checkMembers,
  (budget) => budgetCounters.some((counter) => budget[counter] !== undefined),
  'must have a limit: calls, tokens or usd',
);

const scopeNames = ['tenant', 'agent', 'model'] as const;

/** Whose call it is. */
export interface Spender {
  readonly namespace: string;
  readonly tenant: string | null;
  readonly agent: string;
  readonly model: { readonly name: string; readonly id: string };
}

/** A budget that applies to a call, and the counter of what its spender uses. */
export interface AppliedBudget {
  /** With the names of the spender instead of `*`. */
  readonly budget: Budget;
  readonly counter: CounterKey;
}

/** A counter: the scope, with names for `*`, and the window. */
export interface CounterKey {
  readonly scope: string;
  readonly window: LedgerWindow;
}

/** Returns the budgets that apply to a call, one for each counter: the one that names most of its spender. */
export function selectBudgets(budgets: readonly Budget[], spender: Spender): readonly AppliedBudget[] {
  const selected = new Map<string, AppliedBudget>();
  // The last one of a counter is selected.
  for (const budget of [...budgets].sort((a, b) => rankScope(a) - rankScope(b))) {
    if (!scopeNames.every((name) => appliesTo(budget[name], toNames(spender, name)))) continue;
    const named = { ...budget, ...nameEach(budget, spender) };
    const counter = getCounterKey(spender.namespace, named);
    // A model has a name and an id: both replace a budget with `*`.
    const { scope } = getCounterKey(
      spender.namespace,
      budget.model === undefined ? named : { ...named, model: spender.model.id },
    );
    selected.set(scope + counter.window, { budget: named, counter });
  }
  return [...selected.values()];
}

function nameEach(budget: Budget, spender: Spender): BudgetScope {
  const each = scopeNames.filter((name) => budget[name] === '*');
  return Object.fromEntries(each.map((name) => [name, toNames(spender, name)[0]]));
}

function toNames({ tenant, agent, model }: Spender, name: keyof BudgetScope): readonly string[] {
  if (name === 'model') return [model.id, model.name];
  return [name === 'tenant' ? (tenant ?? '') : agent];
}

function appliesTo(scoped: string | undefined, names: readonly string[]): boolean {
  return scoped === undefined || scoped === '*' || names.includes(scoped);
}

/** The scope and the window, which identify a budget. */
export type BudgetKey = BudgetScope & Pick<Budget, 'per'>;

/** Returns the counter of a scope without `*`. */
export function getCounterKey(namespace: string, { tenant, agent, model, per }: BudgetKey): CounterKey {
  return { scope: toCanonicalJson([namespace, tenant ?? null, agent ?? null, model ?? null]), window: per };
}

export function parseCounterKey(scope: string): { readonly namespace: string; readonly scope: BudgetScope } {
  const [namespace, ...names] = JSON.parse(scope) as readonly [string, ...(string | null)[]];
  const named = scopeNames.flatMap((name, index) => (names[index] == null ? [] : [[name, names[index]]]));
  return { namespace, scope: Object.fromEntries(named) };
}

/** Returns the budget that a counter is of. */
export function findCounterBudget(budgets: readonly Budget[], counter: BudgetKey): Budget | undefined {
  const fitting = budgets.filter(
    (budget) =>
      budget.per === counter.per &&
      scopeNames.every(
        (name) => budget[name] === counter[name] || (budget[name] === '*' && counter[name] !== undefined),
      ),
  );
  return fitting.sort((a, b) => rankScope(b) - rankScope(a))[0];
}

/** Whether a budget is one for all its calls together: it has no `*`. */
export function isOfOne(budget: BudgetScope): boolean {
  return scopeNames.every((name) => budget[name] !== '*');
}

/** A tenant's own budget comes before an agent's, and that before a model's. */
function rankScope(budget: BudgetScope): number {
  return scopeNames.reduce((rank, name) => 2 * rank + (budget[name] === '*' || budget[name] === undefined ? 0 : 1), 0);
}

/** `the budget of tenant acme and model claude-opus-5-5 per day` */
export function formatBudget({ per, ...scope }: BudgetKey): string {
  return `the budget of ${formatBudgetScope(scope)} per ${per}`;
}

/** `tenant acme and model claude-opus-5-5` */
export function formatBudgetScope(scope: BudgetScope): string {
  const parts = scopeNames.flatMap((name) => {
    const value = scope[name];
    return value === undefined
      ? []
      : [value === '*' ? `each ${name}` : value === '' ? `no ${name}` : `${name} ${value}`];
  });
  return parts.length === 0 ? 'all' : parts.join(' and ');
}

/** `$5.00`, `2,000 tokens`, `10 calls` */
export function formatAmount(counter: LedgerCounter, amount: number): string {
  if (counter === 'usd') return formatExactUsd(amount);
  return formatPlural(amount, counter === 'tokens' ? 'token' : 'call');
}

/** Dollars are counted in millionths. Rounded first: 0.29 dollars are 290,000.00000000006 millionths. */
export function toCounterValues({ calls = 0, tokens = 0, usd = 0 }: LedgerAmounts): CounterValues {
  return { calls, tokens, usd: Math.ceil(Number((usd * 1e6).toFixed(3))) };
}

export function fromCounterValue(counter: LedgerCounter, value: number): number {
  return counter === 'usd' ? value / 1e6 : value;
}

export function addValues(a: CounterValues, b: CounterValues): CounterValues {
  return { calls: a.calls + b.calls, tokens: a.tokens + b.tokens, usd: a.usd + b.usd };
}

export function subtractValues(a: CounterValues, b: CounterValues): CounterValues {
  return { calls: a.calls - b.calls, tokens: a.tokens - b.tokens, usd: a.usd - b.usd };
}
