/** Options of a worker for budgets and rates, and their validation before anything starts. */

import { check, findNearest, LonghandError } from '../core/lib/index.js';
import { listEndpointNames, type Models } from '../models/index.js';
import { parseRate, type RateOptions } from '../options/index.js';
import { type Budget, checkBudget, type Rate } from '../store/index.js';

export interface SpendingOptions {
  /**
   * Budgets of tenants, agents and models, which hold for all workers of the store. The worker writes them to its store, where
   * people may change them. A worker with this option, also an empty list, makes no call that a budget of its store does not allow.
   * Without a store they count in this process only.
   */
  readonly budgets?: readonly Budget[] | undefined;
  /**
   * The rates of model providers, by name; of a provider that balances, those of its endpoints. They hold for all workers of the
   * store: `{ anthropic: { requests: 100, tokens: 400_000, per: '1m' } }`.
   */
  readonly rates?: { readonly [provider: string]: RateOptions } | undefined;
}

export interface SpendingRules {
  /** Null without the option. */
  readonly budgets: readonly Budget[] | null;
  readonly rates: ReadonlyMap<string, Rate>;
}

const checkBudgets = check.list(checkBudget, 'a list of budgets');

/** @throws {LonghandError} `invalid_options` */
export function parseSpendingOptions({ budgets, rates = {} }: SpendingOptions, models: Models): SpendingRules {
  const problem = budgets === undefined ? null : checkBudgets(budgets, '`budgets`');
  if (problem !== null) {
    const example = "Example: { tenant: '*', per: 'day', usd: 10 }";
    throw new LonghandError('invalid_options', `Invalid option: ${problem}. ${example}.`);
  }
  const names = listEndpointNames(models);
  for (const name of Object.keys(rates)) {
    if (names.includes(name)) continue;
    const nearest = findNearest(name, names);
    const fix = nearest === null ? `Providers: ${names.join(', ')}` : `Did you mean ${nearest}`;
    throw new LonghandError('invalid_options', `Invalid option \`rates\`: no provider is named ${name}. ${fix}?`);
  }
  const parsed = Object.entries(rates).map(([name, rate]) => [name, parseRate(rate, `rates.${name}`)] as const);
  return { budgets: budgets ?? null, rates: new Map(parsed) };
}
