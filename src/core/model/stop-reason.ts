/**
 * Why chains end. The state stores a code with its parameters; readers format the sentence.
 *
 * A sentence is part of the rules of chains: the request for the last summary contains it and reserves room for it, and a
 * request about an unknown outcome starts with it. From the first release on, a changed sentence is a new version
 * (docs/determinism.md).
 */

import {
  formatCount,
  formatExactDuration,
  formatExactUsd,
  formatLongDuration,
  shorten,
  toOneLine,
} from '../lib/index.js';

/** All ways in which a chain can end. `terminated` comes from outside. */
export const outcomes = [
  ...(['success', 'custom', 'failure', 'refused', 'max_iterations', 'token_budget', 'cost_budget'] as const),
  ...(['timeout', 'stalled', 'cancelled', 'terminated'] as const),
] as const;

/** How a chain ended by itself, in one word. */
export type Outcome = Exclude<(typeof outcomes)[number], 'terminated'>;

/** Whether a chain that ended so has an answer. */
export function hasAnswer(outcome: Outcome | 'terminated' | null): boolean {
  return outcome === 'success' || outcome === 'custom';
}

/** @param known names, the nearest first */
export function formatKnownAgents(known: readonly string[]): string {
  return known.length === 0 ? 'No agent is known.' : `Known agents: ${known.join(', ')}.`;
}

/** The sentence of each code. docs/codes.md is made from this table. */
export const stopSentences = {
  // The start is invalid.
  unknown_rules: ({ version, known }: { version: string; known: string }) =>
    `The chain was started with rules version ${version}; this worker knows version ${known}. Deploy a newer version of Longhand to the workers.`,
  incomplete_start: () =>
    'The start of the chain names no agent or no task. Pass at least {"agent": "…", "task": "…"} as the first argument of the workflow.',
  invalid_start: ({ member, expected }: { member: string; expected: string }) =>
    `Invalid "${member}" in the start of the chain: expected ${expected}. ${member === 'agent' ? 'Correct' : 'Omit it for its default, or correct'} it where the chain is started.`,
  nested_start: () =>
    'The input of the chain is nested more than 200 levels deep. Start the chain with flatter values.',
  invalid_lineage: () =>
    'Invalid lineage in the start of the chain. Only chains start sub-chains; start this chain without a lineage.',
  unreadable_origin: () => 'The origin of this fork cannot be read or was altered. Fork the origin again.',
  empty_plan: () => 'The plan of the chain has no task. Start the chain with at least one task.',
  unplanned_agent: ({ agent, strategy }: { agent: string; strategy: string }) =>
    `The chain was started with a plan, but ${agent} uses the strategy ${strategy}. Give the agent the strategy plan.`,

  // The agent cannot run the chain.
  not_prepared: ({ message }: { message: string }) => `The agent could not be prepared: ${message}`,
  no_worker: ({ missing, ms, known }: { missing: string; ms: number; known?: readonly string[] }) =>
    `No worker of the task queue had ${missing} in ${formatLongDuration(ms)}.${known === undefined ? '' : ` ${formatKnownAgents(known)}`} Start a worker that has it, and start the chain again.`,
  unknown_agent: ({ missing, known }: { missing: string; known: readonly string[] }) =>
    `No worker of the task queue has ${missing}. ${formatKnownAgents(known)} Correct the name where the chain is started, or start it with awaitAgent for an agent that is about to be deployed.`,
  other_tenant: ({ agent }: { agent: string }) => `${agent} belongs to another tenant and is not shared with this one.`,
  unpriced_model: ({ agent, usd, model }: { agent: string; usd: number; model: string }) =>
    `${agent} has a share of ${formatExactUsd(usd)} of its parent's budget, but ${model} has no price, so the share cannot be enforced. Add ${model} to the worker's price map; a model that costs nothing has prices of 0.`,
  other_strategy: (p: { origin: string; was: string; agent: string; now: string }) =>
    `Chain ${p.origin}, the origin of this fork, used the strategy ${p.was}; ${p.agent} now uses ${p.now}. A fork must use the strategy of its origin.`,

  // The replies of the model.
  answered: ({ steps }: { steps: number }) => `Answered in ${steps === 1 ? '1 step' : `${steps} steps`}.`,
  task_failed: ({ why }: { why: string }) => `The model could not complete the task: ${why.replace(/\.$/, '')}.`,
  plan_failed: ({ failed, blocked }: { failed: number; blocked: number }) =>
    `No task of the plan was completed: ${failed} failed${blocked === 0 ? '' : `, ${blocked} blocked`}.`,
  phrase: ({ phrase }: { phrase: string }) => `The reply contains “${phrase}”.`,
  check: ({ reason }: { reason: string }) => reason,
  policy: ({ reason }: { reason: string }) => reason,
  judged: ({ reason }: { reason: string }) => reason,
  refused: () => 'The model refused to continue.',
  context_full: () => "The conversation no longer fits the model's context window.",
  context_rejected: () =>
    "The provider rejected the request: the conversation does not fit the model's context window. Lower maxObservationTokens, shorten the task, or choose a model with a larger window.",
  unreadable_replies: ({ times, problem }: { times: number; problem: string }) =>
    `${times} replies in a row could not be read; the last: ${problem}.`,
  endless_turn: ({ times }: { times: number }) => `The provider paused one turn ${times} times.`,
  model_failed: ({ message }: { message: string }) => `The model could not be called: ${message}`,
  model_attempts: ({ attempts, message }: { attempts: number; message: string }) =>
    `The model could not be called in ${attempts} attempts: ${message}`,

  // Limits.
  max_steps: ({ limit, rest }: { limit: number; rest: string | null }) =>
    `Max steps (${limit}) reached.${rest === null ? '' : ` ${rest}.`}`,
  history_limit: ({ events, bytes }: { events: number; bytes: number }) =>
    `The history has grown to ${formatCount(events)} events and ${formatCount(bytes)} bytes, close to Temporal's limit.`,
  time_limit: ({ timeMs, during }: { timeMs: number; during: string | null }) =>
    `Time limit (${formatExactDuration(timeMs)}) reached${during === null ? '' : ` during ${during}`}.`,
  token_budget: ({ limit, used, reserved, needed }: BudgetParameters) =>
    `Token budget (${formatCount(limit ?? 0)}) reached: ${formatCount(used ?? 0)} used, ${formatCount(reserved ?? 0)} reserved for a summary, and the next call could use ${formatCount(needed ?? 0)}.`,
  cost_budget: ({ limit, used, reserved, needed }: BudgetParameters) =>
    `Cost budget (${formatExactUsd(limit)}) reached: ${formatExactUsd(used)} spent, ${formatExactUsd(reserved)} reserved for a summary, and the next call could cost ${formatExactUsd(needed)}.`,
  budget: ({ message }: { message: string }) => `${message.replace(/\.$/, '')}.`,
  repeated_calls: ({ times, calls }: { times: number; calls: string }) =>
    `Stalled: the model requested the same calls ${times} times in a row: ${calls}.`,
  no_progress: ({ steps }: { steps: number }) => `Stalled: ${steps} steps in a row brought nothing new.`,

  // Tool calls.
  call_failed: ({ call, tool, message }: { call: string; tool: string; message: string }) =>
    `Call ${call} (${tool}) failed for good: ${message}`,
  unknown_outcome: ({ call, text, why }: { call: string; text: string; why: string }) =>
    `The outcome of call ${call}, ${text}, is unknown: ${why}. It may have happened; check before it is done again.`,
  /** The text of a request about an unknown outcome. */
  open_outcome: ({ question }: { question: string }) => question,
  undecided_outcome: ({ question }: { question: string }) => `${question} No person resolved it in time.`,
  given_up: ({ question, by, why }: { question: string; by: string | null; why: string | null }) =>
    `${question} Given up${formatActor(by)}${formatCause(why)}.`,
  may_have_happened: ({ call, tool }: { call: string; tool: string }) =>
    `Call ${call} (${tool}) was running and may have happened; check before it is done again.`,

  // Cancels and faults.
  cancelled: ({ by, why }: { by: string | null; why: string | null }) =>
    `Cancelled${formatActor(by)}${formatCause(why)}.`,
  /** Temporal's own cancel carries no name. It is mostly the parent's, and the parent reports its own reason. */
  cancelled_from_above: ({ parent }: { parent: string }) =>
    `Cancelled from above: the parent chain ${parent} ended, or it was cancelled in Temporal.`,
  /** `error` is the error's name only: messages differ between engines, and every reader must format the same reason. */
  fault: ({ error, at }: { error: string; at: string }) =>
    `A fault in Longhand ended the chain: ${error} at ${at}. The worker's log has the error. Report it, and start the chain again with a version that fixes it.`,
} as const satisfies { readonly [code: string]: (parameters: never) => string };

/** Tokens or US dollars. `kept` is inside the limit: used, kept and needed together exceed it. */
interface BudgetParameters {
  readonly limit: number | null;
  readonly used: number | null;
  readonly reserved: number | null;
  readonly needed: number | null;
}

type SentenceTable = typeof stopSentences;

export type StopCode = keyof SentenceTable;

type ReasonParameters<C extends StopCode> = Parameters<SentenceTable[C]> extends [infer P] ? Readonly<P> : unknown;

export type StopReason = { [C in StopCode]: { readonly code: C } & ReasonParameters<C> }[StopCode];

/** Returns the sentence of a stop reason. */
export function formatStopReason(reason: StopReason): string {
  const sentence: (parameters: never) => string = stopSentences[reason.code];
  return sentence(reason as never);
}

interface StopReasons {
  readonly reason: StopReason;
  readonly additional: readonly StopReason[];
}

/** Characters of the first reason: it may contain messages of tools and providers. */
const maxReasonLength = 2_000;

/** Formats why a chain ends: the reason of the outcome, then the effects that may have happened. */
export function formatStop({ reason, additional }: StopReasons): string {
  return [shorten(formatStopReason(reason), maxReasonLength), ...additional.map(formatStopReason)].join(' ');
}

export function formatActor(by: string | null): string {
  return by === null ? '' : ` by ${toOneLine(by)}`;
}

export function formatCause(why: string | null): string {
  return why === null || why === '' ? '' : `: ${toOneLine(why).replace(/\.$/, '')}`;
}
