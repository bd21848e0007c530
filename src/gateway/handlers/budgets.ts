/** Handlers of budgets. A tenant sees what it may use, and does not set it. */

import { LonghandError, omitUndefined } from '../../core/lib/index.js';
import type { budgetOperations } from '../../http/index.js';
import {
  type Budget,
  type BudgetKey,
  type BudgetStore,
  checkBudget,
  createBudgetStore,
  formatBudget,
  formatBudgetScope,
} from '../../store/index.js';
import type { Identity } from '../identity/identity.js';
import type { RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { resolveTenant } from '../request/requester.js';
import { requireStore } from './require-store.js';
import { toChange } from './to-change.js';

export const budgetHandlers: Handlers<typeof budgetOperations> = {
  listBudgets: async ({ query }, context) => {
    checkReach(context.identity);
    const tenant = resolveTenant(context.identity, query.tenant);
    const stored = await open(context).list();
    if (tenant === undefined) return { items: stored };
    const own = stored.filter(({ budget }) => budget.tenant === '*' || budget.tenant === (tenant ?? ''));
    const isOwn = (spender: { readonly tenant?: string }) => spender.tenant === (tenant ?? '');
    return { items: own.map((each) => ({ ...each, spenders: each.spenders.filter(isOwn) })) };
  },
  putBudget: async ({ body }, context) => {
    checkOwner(context.identity);
    const budget = omitUndefined(body) as Budget;
    const problem = checkBudget(budget, 'the budget');
    if (problem !== null) throw new LonghandError('invalid_options', `Invalid budget: ${problem}.`);
    await open(context).set(budget, toChange(context.identity, Date.now()));
    return { budget: formatBudget(budget) };
  },
  raiseBudget: async ({ body: { calls, tokens, usd, ...scope } }, context) => {
    checkOwner(context.identity);
    const key = omitUndefined(scope) as BudgetKey;
    const amounts = omitUndefined({ calls, tokens, usd });
    if (Object.keys(amounts).length === 0)
      throw new LonghandError('invalid_options', 'State what to add: calls, tokens or usd.');
    if (!(await open(context).raise(key, amounts, toChange(context.identity, Date.now()))))
      throw createUnknownError(key);
    return { budget: formatBudget(key) };
  },
  deleteBudget: async ({ query }, context) => {
    checkOwner(context.identity);
    const key = omitUndefined(query) as BudgetKey;
    if (!(await open(context).remove(key, toChange(context.identity, Date.now())))) throw createUnknownError(key);
    return new Response(null, { status: 204 });
  },
};

function open(context: RequestContext): BudgetStore {
  return createBudgetStore(requireStore(context, 'budgets'), context.namespace);
}

function checkReach({ reach }: Identity): void {
  if (reach === 'all') return;
  throw new LonghandError('not_visible', 'This credential reaches only its own chains, and no budgets.');
}

/** A tenant does not raise its own budget. @throws {LonghandError} `not_visible` */
function checkOwner(identity: Identity): void {
  checkReach(identity);
  if (identity.tenant === null) return;
  throw new LonghandError(
    'not_visible',
    'This credential is of one tenant. Budgets are changed by a credential of all tenants.',
  );
}

function createUnknownError(key: BudgetKey): LonghandError {
  return new LonghandError(
    'budget_not_found',
    `There is no budget of ${formatBudgetScope(key)} per ${key.per}. List the budgets.`,
  );
}
