/** The sentence of every stop reason: what happened, with the value, then the fix where there is one. */

import { expect, it } from 'vitest';
import { formatStopReason, type StopReason, stopSentences } from '../../../src/core/model/stop-reason.js';

const call = { call: '1.1', tool: 'pay' };
const question = 'The outcome of call 1.1 is unknown.';
const budget = { limit: 12_000, used: 9_000, reserved: 2_000, needed: 1_500 };

const reasons: readonly (readonly [StopReason, string])[] = [
  [
    { code: 'unknown_rules', version: '2', known: '1' },
    'The chain was started with rules version 2; this worker knows version 1. Deploy a newer version of Longhand to the workers.',
  ],
  [
    { code: 'incomplete_start' },
    'The start of the chain names no agent or no task. Pass at least {"agent": "…", "task": "…"} as the first argument of the workflow.',
  ],
  [
    { code: 'invalid_start', member: 'tenant', expected: 'a text or null' },
    'Invalid "tenant" in the start of the chain: expected a text or null. Omit it for its default, or correct it where the chain is started.',
  ],
  [
    { code: 'nested_start' },
    'The input of the chain is nested more than 200 levels deep. Start the chain with flatter values.',
  ],
  [
    { code: 'invalid_lineage' },
    'Invalid lineage in the start of the chain. Only chains start sub-chains; start this chain without a lineage.',
  ],
  [{ code: 'unreadable_origin' }, 'The origin of this fork cannot be read or was altered. Fork the origin again.'],
  [{ code: 'empty_plan' }, 'The plan of the chain has no task. Start the chain with at least one task.'],
  [
    { code: 'unplanned_agent', agent: 'clerk', strategy: 'tools' },
    'The chain was started with a plan, but clerk uses the strategy tools. Give the agent the strategy plan.',
  ],
  [{ code: 'not_prepared', message: 'No agent clerk.' }, 'The agent could not be prepared: No agent clerk.'],
  [
    { code: 'no_worker', missing: 'the tool pay of the agent clerk', ms: 7 * 24 * 3_600_000 },
    'No worker of the task queue had the tool pay of the agent clerk in 7 days. Start a worker that has it, and start the chain again.',
  ],
  [
    { code: 'no_worker', missing: 'the agent clrk', ms: 20 * 60_000, known: ['clerk', 'cook'] },
    'No worker of the task queue had the agent clrk in 20 min. Known agents: clerk, cook. Start a worker that has it, and start the chain again.',
  ],
  [
    { code: 'unknown_agent', missing: 'the agent clrk', known: [] },
    'No worker of the task queue has the agent clrk. No agent is known. Correct the name where the chain is started, or start it with awaitAgent for an agent that is about to be deployed.',
  ],
  [{ code: 'other_tenant', agent: 'clerk' }, 'clerk belongs to another tenant and is not shared with this one.'],
  [
    { code: 'unpriced_model', agent: 'clerk', usd: 0.5, model: 'some-model' },
    "clerk has a share of $0.50 of its parent's budget, but some-model has no price, so the share cannot be enforced. Add some-model to the worker's price map; a model that costs nothing has prices of 0.",
  ],
  [
    { code: 'other_strategy', origin: 'chain-0', was: 'react', agent: 'clerk', now: 'tools' },
    'Chain chain-0, the origin of this fork, used the strategy react; clerk now uses tools. A fork must use the strategy of its origin.',
  ],
  [
    { code: 'budget', message: 'Rejected by the budget of tenant acme per day: $0.30 of $10.00 is left' },
    'Rejected by the budget of tenant acme per day: $0.30 of $10.00 is left.',
  ],
  [{ code: 'answered', steps: 1 }, 'Answered in 1 step.'],
  [{ code: 'answered', steps: 2 }, 'Answered in 2 steps.'],
  [{ code: 'phrase', phrase: 'cannot be done' }, 'The reply contains “cannot be done”.'],
  [{ code: 'check', reason: 'Enough was found.' }, 'Enough was found.'],
  [{ code: 'policy', reason: 'Enough was found.' }, 'Enough was found.'],
  [{ code: 'judged', reason: 'The judge ended the chain.' }, 'The judge ended the chain.'],
  [{ code: 'refused' }, 'The model refused to continue.'],
  [{ code: 'context_full' }, "The conversation no longer fits the model's context window."],
  [
    { code: 'context_rejected' },
    "The provider rejected the request: the conversation does not fit the model's context window. Lower maxObservationTokens, shorten the task, or choose a model with a larger window.",
  ],
  [
    { code: 'unreadable_replies', times: 3, problem: 'it was empty' },
    '3 replies in a row could not be read; the last: it was empty.',
  ],
  [{ code: 'endless_turn', times: 10 }, 'The provider paused one turn 10 times.'],
  [{ code: 'model_failed', message: 'It was lost.' }, 'The model could not be called: It was lost.'],
  [
    { code: 'model_attempts', attempts: 6, message: 'It was lost.' },
    'The model could not be called in 6 attempts: It was lost.',
  ],
  [{ code: 'task_failed', why: 'It is shut.' }, 'The model could not complete the task: It is shut.'],
  [{ code: 'plan_failed', failed: 2, blocked: 0 }, 'No task of the plan was completed: 2 failed.'],
  [{ code: 'max_steps', limit: 10, rest: null }, 'Max steps (10) reached.'],
  [{ code: 'max_steps', limit: 10, rest: '1 of 4 tasks completed' }, 'Max steps (10) reached. 1 of 4 tasks completed.'],
  [
    { code: 'history_limit', events: 40_000, bytes: 1_000 },
    "The history has grown to 40,000 events and 1,000 bytes, close to Temporal's limit.",
  ],
  [{ code: 'time_limit', timeMs: 60_000, during: null }, 'Time limit (1 min) reached.'],
  [
    { code: 'time_limit', timeMs: 61_000, during: 'call 1.1 (look)' },
    'Time limit (61 s) reached during call 1.1 (look).',
  ],
  [
    { code: 'token_budget', ...budget },
    'Token budget (12,000) reached: 9,000 used, 2,000 reserved for a summary, and the next call could use 1,500.',
  ],
  [
    { code: 'cost_budget', limit: 0.08, used: 0.06, reserved: 0.01, needed: 0.0125 },
    'Cost budget ($0.08) reached: $0.06 spent, $0.01 reserved for a summary, and the next call could cost $0.0125.',
  ],
  [
    { code: 'repeated_calls', times: 3, calls: 'save(1)' },
    'Stalled: the model requested the same calls 3 times in a row: save(1).',
  ],
  [{ code: 'no_progress', steps: 5 }, 'Stalled: 5 steps in a row brought nothing new.'],
  [{ code: 'call_failed', ...call, message: 'No account.' }, 'Call 1.1 (pay) failed for good: No account.'],
  [
    { code: 'unknown_outcome', call: '1.1', text: 'pay(7)', why: 'it broke' },
    'The outcome of call 1.1, pay(7), is unknown: it broke. It may have happened; check before it is done again.',
  ],
  [{ code: 'open_outcome', question }, question],
  [{ code: 'undecided_outcome', question }, `${question} No person resolved it in time.`],
  [{ code: 'given_up', question, by: 'ana', why: 'No receipt.' }, `${question} Given up by ana: No receipt.`],
  [
    { code: 'may_have_happened', ...call },
    'Call 1.1 (pay) was running and may have happened; check before it is done again.',
  ],
  [{ code: 'cancelled', by: null, why: null }, 'Cancelled.'],
  [{ code: 'cancelled', by: 'ana', why: 'enough' }, 'Cancelled by ana: enough.'],
  [
    { code: 'cancelled_from_above', parent: 'root-1' },
    'Cancelled from above: the parent chain root-1 ended, or it was cancelled in Temporal.',
  ],
  [
    { code: 'fault', error: 'TypeError', at: 'advance' },
    "A fault in Longhand ended the chain: TypeError at advance. The worker's log has the error. Report it, and start the chain again with a version that fixes it.",
  ],
];

it.each(reasons)('%j is formatted as a sentence', (reason, sentence) =>
  expect(formatStopReason(reason)).toBe(sentence),
);

it('every code has a sentence here', () => {
  expect([...new Set(reasons.map(([{ code }]) => code))].sort()).toEqual(Object.keys(stopSentences).sort());
});
