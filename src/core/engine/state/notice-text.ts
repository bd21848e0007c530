/** Sentences of notices and observations, and stop reasons whose parameters must be computed. */

import {
  formatCall,
  formatCount,
  formatDuration,
  formatExactDuration,
  formatExactUsd,
  formatLongDuration,
  type Json,
  shorten,
  toOneLine,
} from '../../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  defaults,
  formatActor,
  formatCause,
  formatKnownAgents,
  formatPlanProgress,
  type LimitUsage,
  limitTable,
  type PendingCall,
  type Plan,
  type ReceivedCommand,
  type RequestKind,
  type Reservation,
  type StopReason,
} from '../../model/index.js';
import type { ReservationResult } from './budget.js';
import { computeTotalUse } from './budget-tree.js';

/** With a plan, the reason contains its progress. */
export function toMaxStepsReason({ limits, strategy }: AgentSnapshot, plan: Plan | null): StopReason {
  const unfinished = strategy.name === 'autonomous' ? `The agent did not call "${strategy.finishToolName}"` : null;
  return { code: 'max_steps', limit: limits.steps, rest: plan === null ? unfinished : formatPlanProgress(plan) };
}

type ReservationFailure = Extract<ReservationResult, { ok: false }>;

export function toBudgetReason(
  state: ChainState,
  { limits }: AgentSnapshot,
  { limit, needed, kept }: ReservationFailure,
): StopReason {
  const used = computeTotalUse(state);
  return limit === 'tokens'
    ? {
        code: 'token_budget',
        limit: limits.tokens,
        used: used.tokens,
        reserved: countReservedTokens(kept),
        needed: countReservedTokens(needed),
      }
    : { code: 'cost_budget', limit: limits.costUsd, used: used.usd, reserved: kept.usd, needed: needed.usd };
}

function countReservedTokens({ inputTokens, outputTokens }: Reservation): number {
  return inputTokens + outputTokens;
}

export function toRepeatedCallsReason(
  calls: readonly { readonly tool: string; readonly input: Json }[],
  times: number,
): StopReason {
  return { code: 'repeated_calls', times, calls: calls.map((call) => formatCall(call.tool, call.input)).join(', ') };
}

/** @param problem a clause: what was wrong with the usage */
export function formatUnreportedUsageNotice(charged: Reservation, problem: string): string {
  const cost = charged.usd === null ? '' : `, ${formatExactUsd(charged.usd)}`;
  const max = `${formatCount(charged.inputTokens)} tokens in and ${formatCount(charged.outputTokens)} out${cost}`;
  return `The provider reported no plausible usage (${toOneLine(problem)}). The budget is charged the whole reservation: ${max}. The same applies to later calls without plausible usage.`;
}

/**
 * Describes unreadable replies to people. The corrections are written for the model; people get the problem, and at the
 * output limit the option to raise.
 *
 * @param cutAt output tokens that were allowed to a cut reply, else null
 */
export function toUnreadableRepliesReason(
  times: number,
  problem: string,
  cutAt: number | null,
  agent: AgentSnapshot,
): StopReason {
  return {
    code: 'unreadable_replies',
    times,
    problem: cutAt === null ? describeProblem(problem) : describeCutReply(cutAt, agent),
  };
}

function describeCutReply(at: number, { model }: AgentSnapshot): string {
  const raise =
    at < model.maxTokens ? "left in the chain's budget; raise its limits" : "of the agent's maxTokens; raise it";
  return `it was cut at the ${formatCount(at)} tokens ${raise}`;
}

/** Rewrites the first sentence of a correction as a clause about the reply. */
function describeProblem(problem: string): string {
  const [first = problem] = /^.*?(?=[.!?](?:\s|$)|$)/s.exec(problem) ?? [];
  const clause = first.replace(/^Your reply\b/, 'it').replace(/^Your\b/, 'its');
  return clause.replace(/^The(?:re)?\b/, (word) => word.toLowerCase());
}

export function toUnknownOutcomeReason({ id, tool, input }: PendingCall, message: string): StopReason {
  const why = shorten(message, 300).replace(/\.$/, '');
  return { code: 'unknown_outcome', call: id, text: formatCall(tool, input), why };
}

export function formatPauseNotice(by: string | null, why: string | null): string {
  return `Paused${formatActor(by)}${formatCause(why)}.`;
}

export function formatResumeNotice(by: string | null, why: string | null): string {
  return `Resumed${formatActor(by)}${formatCause(why)}.`;
}

export function formatEndedWaitNotice(call: string, by: string | null, why: string | null): string {
  return `The wait of call ${call} was ended${formatActor(by)}${formatCause(why)}.`;
}

/** @param message the failure, and its remedy */
export function formatHeldNotice(holder: 'provider' | 'store', message: string): string {
  const every = formatDuration(defaults.heldRetryMs);
  return `Held by the ${holder}: ${message} The call is made again every ${every}, and at once when the chain is resumed.`;
}

/** @param missing for example `the agent clerk` */
export function formatRequeueNotice(missing: string, known?: readonly string[]): string {
  return `The worker does not have ${missing}: its operation went back to the task queue, for another worker.${formatKnown(known)}`;
}

function formatKnown(known: readonly string[] | undefined): string {
  return known === undefined ? '' : ` ${formatKnownAgents(known)}`;
}

/** @param missing for example `the agent clerk` */
export function formatWorkerHeldNotice(missing: string, known?: readonly string[]): string {
  const every = formatDuration(defaults.heldRetryMs);
  return `Held by the workers: none has ${missing}.${formatKnown(known)} Start a worker that has it, or cancel the chain. The operation is offered again every ${every}, and at once when the chain is resumed.`;
}

/** @param place for example `before step 3` */
export function formatBreakpointNotice(place: string, by: string | null, why: string | null): string {
  return `A breakpoint ${place} was set${formatActor(by)}${formatCause(why)}.`;
}

/** `80 % of the time limit is used: 8.1 min of 10 min.` */
export function formatLimitUsageNotice({ name, used, limit }: LimitUsage): string {
  const { noun, unit, suffix } = limitTable[name];
  const amounts = `${usedFormats[unit](used)} of ${limitFormats[unit](limit)}${suffix}`;
  return `${formatCount(Math.floor((100 * used) / limit))} % of the ${noun} limit is used: ${amounts}.`;
}

const limitFormats = { count: formatCount, usd: formatExactUsd, ms: formatExactDuration } as const;
const usedFormats = { ...limitFormats, ms: formatDuration } as const;

export function formatRaisedLimitsNotice(by: string | null, why: string | null, limits: string): string {
  return `Limits were raised${formatActor(by)} to ${limits}${formatCause(why)}.`;
}

export function formatEscalationNotice(
  { id, tool }: Pick<PendingCall, 'id' | 'tool'>,
  roles: readonly string[],
): string {
  const people = roles.length === 0 ? 'anybody' : roles.join(', ');
  return `Call ${id} (${tool}) is still awaiting a decision; ${people} may now decide it.`;
}

export function formatRejectedCommandNotice({ by, command }: ReceivedCommand, why: string): string {
  return `${commandNouns[command.kind]} ${by === null ? '' : `by ${toOneLine(by)} `}was rejected: ${why}`;
}

const commandNouns = {
  decide: 'A decision',
  steer: 'A message',
  pause: 'A pause',
  resume: 'A resume',
  limit: 'A change of limits',
  signal: 'A signal',
  unreadable: 'An unreadable command',
} as const satisfies { readonly [kind in ReceivedCommand['command']['kind']]: string };

/** An observation for the model, like the next two functions. */
export function renderDenial(kind: RequestKind, by: string | null, why: string | null): string {
  const person = by === null ? 'a person' : toOneLine(by);
  if (kind === 'question') return `${person} does not answer this${formatCause(why)}.`;
  return `Denied by ${person}${formatCause(why)}. The call was not run. Do not repeat it: continue without it, or propose something else.`;
}

export function renderApprovalExpiry(ms: number | null): string {
  return `Not approved within ${formatLongDuration(ms ?? 0)}; the call was not run. Continue without it.`;
}

export function renderQuestionExpiry(ms: number | null): string {
  return `Not answered within ${formatLongDuration(ms ?? 0)}. Continue without an answer.`;
}

/** What precedes the error message of a call in a reason: of a call that failed for good, or may have happened. */
const causeStart =
  /(?:Call (?<failed>\d+\.\d+) \([^)]*\) failed for good|The outcome of call (?<unknown>\d+\.\d+), [\s\S]*? is unknown):/g;
const outcomeAdvice = 'It may have happened; check before it is done again.';

/** Returns the ids of the calls whose error messages a text contains. */
export function listNamedCauses(text: string): readonly string[] {
  return Array.from(text.matchAll(causeStart), ({ groups = {} }) => groups.failed ?? groups.unknown ?? '');
}

/**
 * Removes the error messages of calls from a reason: they are the results of the calls.
 *
 * A message may imitate the sentence around it. So the first hidden message is removed with all that follows: a failure
 * to the end, an unknown outcome to the last advice, which the message cannot follow.
 *
 * @param isVisible whether the viewer may see the result of a call
 */
export function removeCauses(text: string, isVisible: (call: string) => boolean): string {
  for (const { 0: start, index, groups = {} } of text.matchAll(causeStart)) {
    if (isVisible(groups.failed ?? groups.unknown ?? '')) continue;
    const before = `${text.slice(0, index + start.length - 1)}.`;
    const advice = groups.unknown === undefined ? -1 : text.lastIndexOf(outcomeAdvice);
    return advice > index ? `${before} ${text.slice(advice)}` : before;
  }
  return text;
}
