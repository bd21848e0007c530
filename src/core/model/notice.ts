/** Notices: entries for readers that the model does not see. */

import type { LimitUsage, PartialLimits } from './limits.js';

/** One row for each code: what it means. docs/codes.md is made from this table. */
export const noticeCodes = {
  limit_usage: '50, 80 or 95 % of the steps, tokens, cost or time of a chain are used.',
  limit_reached: 'A limit is reached; the chain ends.',
  limit_question: 'A limit is reached; the chain asks a person before it ends.',
  stalled: 'The chain makes no progress; it ends.',
  model_retry: 'A model call failed; another attempt follows.',
  budget_rejected: 'A budget of a tenant, an agent or a model rejected a model call.',
  budget_alert: 'A stated part of a budget of a tenant, an agent or a model is used.',
  model_fallback: 'A model failed or refused a call; the next model of the agent gets it.',
  requeued: "A worker lacks the agent, a tool or the model's provider; its operation went back to the task queue.",
  held: 'The chain waits until a person fixes the cause: a failing provider, an unavailable store, or a worker without the agent or tool.',
  cancel_requested: 'A person, a parent or Temporal requested the cancel.',
  outcome_unknown: 'An effect may or may not have happened.',
  closing_call: 'One last model call sums up the findings.',
  paused: 'A person or a breakpoint paused the chain.',
  resumed: 'A person resumed the chain.',
  wait_ended: 'A person ended the wait of a call.',
  breakpoint_set: 'A person set a breakpoint.',
  limits_raised: 'A person raised limits.',
  signal_buffered: 'A signal arrived that no call waits for; it is kept.',
  signal_dropped: 'The oldest signal that no call has received was dropped: the chain keeps no more.',
  request_escalated: 'More people may decide a request.',
  command_rejected: 'A command was rejected after it was sent.',
  plan_changed: 'A plan was made or revised, or one of its tasks failed.',
  learned: 'The model recorded what it learned, when it checked its plan, or an observer did.',
  reflected: 'An observer interpreted the last steps: what came out, whether the goal is nearer, and what comes next.',
  policy_checked: 'A model compared a step with the written policy of the worker.',
  judged: 'A model judged the end of the chain by the criteria of its agent.',
  plan_assessed: 'The model assessed the progress of its plan.',
  thought_repeated: 'A thought only repeats the one before it.',
  compacted: 'The context window fills up: requests contain a summary of the oldest steps from here on.',
  notes_written: 'A model wrote notes on the oldest steps, which requests contain instead of them from here on.',
  usage_unreported: 'A reply came without plausible usage; its call was charged in full.',
} as const satisfies { readonly [code: string]: string };

export type NoticeCode = keyof typeof noticeCodes;

const planNotices: readonly string[] = [
  'plan_changed',
  'learned',
  'plan_assessed',
  'reflected',
  'policy_checked',
  'judged',
  'notes_written',
] satisfies readonly NoticeCode[];

/** Whether a notice is about the plan, the progress or the steps so far. Its text is the model's, so it has the level of thoughts. */
export function isPlanNotice(code: string): boolean {
  return planNotices.includes(code);
}

export interface Notice {
  readonly code: NoticeCode;
  readonly text: string;
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Only of `limit_usage`: the limit, and the percentage that is reached. */
  readonly usage?: LimitUsage & { readonly percent: number };
  /** Only of `limits_raised`: the new limits. */
  readonly limits?: PartialLimits;
  /** Only where a model call made it that is no step. */
  readonly asked?: AsideReply;
  /** Only of `policy_checked` and `judged`. */
  readonly verdict?: StepVerdict;
}

/**
 * A verdict of a model on a step or on the end of a chain. `deny`: the calls do not run, and the chain does not end so. `ask`: a person
 * decides. `end`: the chain ends as `failure`.
 */
export type StepVerdict = 'allow' | 'deny' | 'ask' | 'end';

/** The model call behind a notice. */
export interface AsideReply {
  /** `aside-2` */
  readonly call: string;
  /** The model's name in the agent's definition. */
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null without a price. */
  readonly costUsd: number | null;
}
