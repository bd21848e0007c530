/**
 * Budgets of tenants, agents and models, and rates: a call that one refuses was not made, and is no failure of its provider. The
 * chain waits without an end of `modelRetry`, and its time limit does not count the wait.
 */

import { shorten } from '../lib/index.js';
import {
  type BudgetRefusal,
  type ChainState,
  changeState,
  defaults,
  type ModelFailure,
  type ModelFailureKind,
  type ModelReply,
} from '../model/index.js';
import { providerFailures } from './failure-rules.js';
import { type FailedAttempt, mayRecover } from './fall-back.js';
import { type Advance, emit } from './state/advance.js';
import { createNoticeEntry } from './state/entry.js';
import { formatFindings, stopChain } from './state/stop.js';

/** Emits what the ledger reported about a call: alerts, and a refusal. */
export function reportBudgets(
  state: ChainState,
  {
    budgetAlerts = [],
    ...result
  }: Pick<ModelReply, 'budgetAlerts'> | Pick<ModelFailure, 'budgetAlerts' | 'budget' | 'message'>,
): Advance {
  const alerts = budgetAlerts.map((text) => createNoticeEntry(state, 'budget_alert', shorten(text, maxTextLength)));
  const refused = 'budget' in result && result.budget !== undefined ? [result.message] : [];
  const refusals = refused.map((text) => createNoticeEntry(state, 'budget_refused', shorten(text, maxTextLength)));
  return emit(state, ...alerts, ...refusals);
}

const maxTextLength = 500;

/** Whether the call was refused before it was made, by a budget or a rate. */
export function isRefusedCall(kind: ModelFailureKind): kind is 'budget' | 'throttled' {
  return kind === 'budget' || kind === 'throttled';
}

/** Waits for the next window of a budget or for the start of a call, or ends the chain where the budget requires it. */
export function waitForBudget(before: ChainState, failure: FailedAttempt): Advance {
  const { kind, message, retryAfterMs, budget } = failure;
  if (budget?.choice === 'end') return stopForBudget(before, budget, message);
  const { now, failing } = before;
  const retryDelayMs = Math.max(1, Math.min(retryAfterMs ?? defaults.modelBackoffMs, defaults.retryAfterLongestMs));
  const budgetMs = (failing?.budgetMs ?? 0) + retryDelayMs;
  if (budgetMs > defaults.budgetWaitMs) return stopForBudget(before, budget ?? unknownBudget, message);
  const text = `${message.replace(/\.$/, '')}. ${providerFailures[kind].remedy}`;
  return emit(
    changeState(before, {
      // Models that only a budget refused may be asked again.
      tried: before.tried.filter((tried) => !mayRecover(tried.failure)),
      failing: { since: failing?.since ?? now, held: false, failure: kind, message: shorten(text, 500), budgetMs },
      flight: { kind: 'modelRetry', retryDelayMs, nextAt: now + retryDelayMs },
    }),
  );
}

/** Of several models that budgets refuse, the choice is the same: to wait. */
const unknownBudget: BudgetRefusal = { budget: 'its budgets', counter: 'usd', choice: 'wait' };

function stopForBudget(state: ChainState, { budget, counter }: BudgetRefusal, message: string): Advance {
  const outcome = counter === 'usd' ? 'cost_budget' : 'token_budget';
  // A last call that sums up would be refused too.
  return stopChain(state, outcome, { code: 'budget', budget, message }, { partial: formatFindings(state) });
}
