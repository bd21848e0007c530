/** A call that a budget of a tenant, an agent or a model rejects (the ledger of the store has budgets). */

import { check } from '../lib/index.js';

/**
 * What a chain does with a call that a budget rejects. `wait`: for the next window. `fallback`: asks the agent's next model, and
 * waits where none is left. `ask`: pauses for a person. `end`: ends the chain.
 */
export const budgetChoices = ['wait', 'fallback', 'ask', 'end'] as const;

export type BudgetChoice = (typeof budgetChoices)[number];

/** What a budget counts: model calls, tokens, US dollars. */
export const budgetCounters = ['calls', 'tokens', 'usd'] as const;

export type BudgetCounter = (typeof budgetCounters)[number];

/** The calendar windows of budgets, in UTC. */
export const budgetWindows = ['minute', 'hour', 'day', 'month'] as const;

/** Only of a failure of the kind `budget`. */
export interface BudgetRejection {
  /** `the budget of tenant acme per day` */
  readonly budget: string;
  readonly counter: BudgetCounter;
  readonly choice: BudgetChoice;
}

/** The state is bounded: names of tenants, agents and models are of any length. */
export const maxBudgetText = 300;

export const checkBudgetRejection = check.shape<BudgetRejection>({
  budget: check.refine(
    check.text,
    ({ length }) => length <= maxBudgetText,
    `must have at most ${maxBudgetText} characters`,
  ),
  counter: check.oneOf(budgetCounters),
  choice: check.oneOf(budgetChoices),
});
