/**
 * Why chains end: a code with its few parameters is stored, and its sentence is made for readers.
 *
 * A sentence is part of the rules of chains: the last call to sum up is told it and reserves room for it, and a question about
 * an unknown outcome begins with it. From the first release on, other words are a new version (docs/determinism.md).
 */

import { formatCount, formatExactDuration, formatExactUsd, shorten } from '../lib/display.js';
import { toOneLine } from '../lib/plain-text.js';

/** What a chain ended as. */
export type Outcome =
  | 'success'
  | 'max_iterations'
  | 'failure'
  | 'stalled'
  | 'token_budget'
  | 'cost_budget'
  | 'timeout'
  | 'cancelled'
  | 'refused'
  | 'custom';

/** One row for each code: the sentence that it stands for. */
export const stopSentences = {
  // A start that cannot be followed.
  unknown_rules: ({ version, known }: { version: string; known: string }) =>
    `The chain was started by rules of version ${version}, and this worker knows version ${known}. Deploy a newer version of Longhand to the workers.`,
  incomplete_start: () =>
    'The chain was started without the name of an agent or without a task. Start chains with `longhand start` or the client.',
  invalid_start: ({ member }: { member: string }) =>
    `The chain was started with an invalid "${member}": it must be a text or null. Start chains with \`longhand start\` or the client.`,
  nested_start: () =>
    'The chain was started with values that are nested more than 200 levels deep. Start it with flatter ones.',
  invalid_lineage: () =>
    'The chain was started as a sub-chain without what that takes. Only a chain begins sub-chains; start this one as a chain of its own.',
  unreadable_origin: () =>
    'The chain that it was forked from cannot be read in its start, or was altered. Fork it again.',
  empty_plan: () => 'The plan that the chain was started with has no task.',
  unplanned_agent: ({ agent, strategy }: { agent: string; strategy: string }) =>
    `The chain was started with a plan, and ${agent} works by the strategy ${strategy}. Give the agent the strategy plan.`,

  // An agent that cannot run the chain.
  not_prepared: ({ message }: { message: string }) => `The agent could not be prepared: ${message}`,
  other_tenant: ({ agent }: { agent: string }) => `${agent} belongs to another tenant and is not shared with this one.`,
  unpriced_model: ({ agent, usd, model }: { agent: string; usd: number; model: string }) =>
    `${agent} may use ${formatExactUsd(usd)} of its parent's budget, and the catalogue has no price for ${model}: that could not be kept. Give the worker a price map with ${model} in it; a model that costs nothing has prices of 0.`,
  other_strategy: (p: { origin: string; was: string; agent: string; now: string }) =>
    `Chain ${p.origin}, which this one was forked from, ran by the strategy ${p.was}, and ${p.agent} now runs by ${p.now}: what was said by the one cannot go on by the other.`,

  // What the model says, or does not.
  answered: ({ steps }: { steps: number }) => `Answered in ${steps === 1 ? '1 step' : `${steps} steps`}.`,
  phrase: ({ phrase }: { phrase: string }) => `The model said “${phrase}”.`,
  check: ({ reason }: { reason: string }) => reason,
  refused: () => 'The model refused to go on.',
  context_full: () => "The conversation no longer fits the model's context window.",
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
    `The history has grown to ${formatCount(events)} events and ${formatCount(bytes)} bytes, close to what Temporal allows.`,
  time_limit: ({ timeMs, during }: { timeMs: number; during: string | null }) =>
    `Time limit (${formatExactDuration(timeMs)}) reached${during === null ? '' : ` during ${during}`}.`,
  token_budget: ({ limit, used, kept, needed }: BudgetParameters) =>
    `Token budget (${formatCount(limit ?? 0)}) reached: ${formatCount(used ?? 0)} used, ${formatCount(kept ?? 0)} kept for summing up, and the next call could take ${formatCount(needed ?? 0)}.`,
  cost_budget: ({ limit, used, kept, needed }: BudgetParameters) =>
    `Cost budget (${formatExactUsd(limit)}) reached: ${formatExactUsd(used)} spent, ${formatExactUsd(kept)} kept for summing up, and the next call could cost ${formatExactUsd(needed)}.`,
  repeated_calls: ({ times, calls }: { times: number; calls: string }) =>
    `Stalled: the model asked for the same ${times} times in a row: ${calls}.`,
  no_progress: ({ steps }: { steps: number }) => `Stalled: ${steps} steps in a row brought nothing new.`,

  // Calls of tools.
  call_failed: ({ call, tool, message }: { call: string; tool: string; message: string }) =>
    `Call ${call} (${tool}) failed for good: ${message}`,
  unknown_outcome: ({ call, text, why }: { call: string; text: string; why: string }) =>
    `The outcome of call ${call}, ${text}, is unknown: ${why}. It may have happened; check before it is done again.`,
  /** What a person was asked about a call stands for it. */
  open_outcome: ({ question }: { question: string }) => question,
  undecided_outcome: ({ question }: { question: string }) => `${question} Nobody said in time whether it did.`,
  given_up: ({ question, by, why }: { question: string; by: string | null; why: string | null }) =>
    `${question} Given up${formatActor(by)}${formatCause(why)}.`,
  may_have_happened: ({ call, tool }: { call: string; tool: string }) =>
    `Call ${call} (${tool}) was running and may have happened; check before it is done again.`,

  // From outside.
  cancelled: ({ by, why }: { by: string | null; why: string | null }) =>
    `Cancelled${formatActor(by)}${formatCause(why)}.`,
  /** Temporal's own cancel carries no name: it is mostly the parent's, which has told its reason itself. */
  cancelled_from_above: ({ parent }: { parent: string }) =>
    `Cancelled from above: chain ${parent}, which began it, came to its end, or somebody cancelled it in Temporal.`,
  /** `error` is its name alone: an engine words its messages as it likes, and every reader is to find the same reason. */
  fault: ({ error, at }: { error: string; at: string }) =>
    `A fault in Longhand ended the chain: ${error} at ${at}. The worker's log has the error; report it, and start the chain again with a version that fixes it.`,
} as const satisfies { readonly [code: string]: (parameters: never) => string };

/** Of tokens, or of US dollars: what is kept lies inside the limit, so together with it, used and needed are more. */
interface BudgetParameters {
  readonly limit: number | null;
  readonly used: number | null;
  readonly kept: number | null;
  readonly needed: number | null;
}

type SentenceTable = typeof stopSentences;

export type StopCode = keyof SentenceTable;

type ReasonParameters<C extends StopCode> = Parameters<SentenceTable[C]> extends [infer P] ? Readonly<P> : unknown;

export type StopReason = { [C in StopCode]: { readonly code: C } & ReasonParameters<C> }[StopCode];

/** The sentence for people. */
export function formatStopReason(reason: StopReason): string {
  const sentence: (parameters: never) => string = stopSentences[reason.code];
  return sentence(reason as never);
}

interface StopReasons {
  readonly reason: StopReason;
  readonly additional: readonly StopReason[];
}

/** Characters of the first reason: others' messages go into it. */
const maxReasonLength = 2_000;

/** Why a chain ends, for people: the reason that named the outcome, then the effects that may have happened. */
export function formatStop({ reason, additional }: StopReasons): string {
  return [shorten(formatStopReason(reason), maxReasonLength), ...additional.map(formatStopReason)].join(' ');
}

export function formatActor(by: string | null): string {
  return by === null ? '' : ` by ${toOneLine(by)}`;
}

export function formatCause(why: string | null): string {
  return why === null || why === '' ? '' : `: ${toOneLine(why).replace(/\.$/, '')}`;
}
