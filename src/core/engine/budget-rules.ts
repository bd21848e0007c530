/**
 * Budgets of tenants, agents and models, and rates: a call that one rejects was not made, and is no failure of its provider. The
 * chain waits without an end of `modelRetry`, and its time limit does not count the wait.
 */

import { shorten } from '../lib/index.js';
import {
  type BudgetRejection,
  type ChainState,
  changeState,
  defaults,
  type ModelFailure,
  type ModelReply,
  type ReachedLimit,
} from '../model/index.js';
import { addRemedy } from './failure-rules.js';
import { type FailedAttempt, mayRecover } from './fall-back.js';
import { type Advance, emit } from './state/advance.js';
import { createNoticeEntry } from './state/entry.js';
import { openQuestion, stopAtLimit } from './state/limit-question.js';

/** Emits what the ledger reported about a call: alerts, and a rejection. */
export function reportBudgets(
  state: ChainState,
  {
    budgetAlerts = [],
    ...result
  }: Pick<ModelReply, 'budgetAlerts'> | Pick<ModelFailure, 'budgetAlerts' | 'budget' | 'message'>,
): Advance {
  const alerts = budgetAlerts.map((text) => createNoticeEntry(state, 'budget_alert', shorten(text, maxTextLength)));
  const rejected = 'budget' in result && result.budget !== undefined ? [result.message] : [];
  const rejections = rejected.map((text) => createNoticeEntry(state, 'budget_rejected', shorten(text, maxTextLength)));
  return emit(state, ...alerts, ...rejections);
}

const maxTextLength = 500;

/** Waits for the next window of a budget or for the start of a call, or asks or ends the chain where the budget requires it. */
export function waitForBudget(before: ChainState, failure: FailedAttempt): Advance {
  const { kind, message, retryAfterMs, budget } = failure;
  if (budget?.choice === 'end') return stopAtLimit(before, toReachedBudget(budget, message));
  if (budget?.choice === 'ask' && before.held === undefined) return askForBudget(before, budget, message);
  const { now, failing } = before;
  const { rejectedSince = now } = failing ?? {};
  // Short waits grow, as those for the reservations of other calls.
  const leastMs = Math.max(defaults.modelBackoffMs, kind === 'budget' ? (now - rejectedSince) / 2 : 0);
  const retryDelayMs = Math.min(Math.floor(Math.max(leastMs, retryAfterMs ?? 0)), defaults.retryAfterLongestMs);
  if (now + retryDelayMs > rejectedSince + defaults.budgetWaitMs)
    return stopAtLimit(before, toReachedBudget(budget ?? unknownBudget, message));
  return emit(
    changeState(before, {
      tried: listEndedModels(before),
      failing: {
        since: failing?.since ?? now,
        held: false,
        failure: kind,
        message: shorten(addRemedy(kind, message), maxTextLength),
        rejectedSince,
      },
      flight: { kind: 'modelRetry', retryDelayMs, nextAt: now + retryDelayMs },
    }),
  );
}

/** Models that only a budget rejected may be asked again. */
function listEndedModels({ tried }: ChainState): ChainState['tried'] {
  return tried.filter(({ failure }) => !mayRecover(failure));
}

/** Of several models that budgets reject, the choice is the same: to wait. */
const unknownBudget: BudgetRejection = { budget: 'its budgets', counter: 'usd', choice: 'wait' };

/** The call is made again after the answer, as a first attempt. A person who resumes another pause has it made again too. */
function askForBudget(before: ChainState, budget: BudgetRejection, message: string): Advance {
  const state = changeState(before, { tried: listEndedModels(before), failing: null, attempt: 1 });
  if (state.paused !== null) return emit(state);
  return openQuestion(state, { ...toReachedBudget(budget, message), raise: null });
}

function toReachedBudget({ counter }: BudgetRejection, message: string): ReachedLimit {
  const outcome = counter === 'usd' ? 'cost_budget' : 'token_budget';
  return { outcome, reason: { code: 'budget', message } };
}
