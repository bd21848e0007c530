/** Sentences for people and models on what happens in a chain, and the reasons of its end that take more than a code. */

import { formatCall, formatCount, formatExactUsd, formatLongDuration, shorten } from '../lib/display.js';
import type { Json } from '../lib/json.js';
import { toOneLine } from '../lib/plain-text.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { ReceivedCommand } from '../model/command.js';
import type { Plan } from '../model/plan.js';
import type { RequestKind } from '../model/request.js';
import type { ChainState, PendingCall } from '../model/state.js';
import { formatActor, formatCause, type StopReason } from '../model/stop-reason.js';
import { formatPlanProgress } from '../model/tasks.js';
import type { Reservation } from '../model/usage.js';
import type { ReservationResult } from './budget.js';
import { computeTotalUse } from './budget-tree.js';

/** A chain with a plan says how far it has come. */
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
        kept: countReservedTokens(kept),
        needed: countReservedTokens(needed),
      }
    : { code: 'cost_budget', limit: limits.costUsd, used: used.usd, kept: kept.usd, needed: needed.usd };
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

/** @param problem a clause that says what was wrong with the usage */
export function formatUnreportedUsageNotice(charged: Reservation, problem: string): string {
  const cost = charged.usd === null ? '' : `, ${formatExactUsd(charged.usd)}`;
  const most = `${formatCount(charged.inputTokens)} tokens in and ${formatCount(charged.outputTokens)} out${cost}`;
  return `The provider reported no plausible usage (${toOneLine(problem)}). The budget is charged the most that the call could use: ${most}. Later calls without plausible usage are charged in the same way.`;
}

/**
 * The correction that the model was shown is for it alone; a person is told what was wrong with the reply, and at the
 * output limit what to raise.
 *
 * @param cutAt output tokens that a reply which was cut was allowed, else null
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
    at < model.maxTokens ? "that the chain's budget had left: raise its limits" : "of the agent's maxTokens: raise it";
  return `it was cut at the ${formatCount(at)} tokens ${raise}`;
}

/** The first sentence of a correction, told of the model. */
function describeProblem(problem: string): string {
  const [first = problem] = /^.*?(?=[.!?](?:\s|$)|$)/s.exec(problem) ?? [];
  const told = first.replace(/^Your reply\b/, 'it').replace(/^Your\b/, 'its');
  return told.replace(/^The(?:re)?\b/, (word) => word.toLowerCase());
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

/** @param where as a place: `before step 3` */
export function formatBreakpointNotice(where: string, by: string | null, why: string | null): string {
  return `A breakpoint ${where} was set${formatActor(by)}${formatCause(why)}.`;
}

export function formatRaisedLimitsNotice(by: string | null, why: string | null, limits: string): string {
  return `Limits were raised${formatActor(by)} to ${limits}${formatCause(why)}.`;
}

export function formatEscalationNotice(
  { id, tool }: Pick<PendingCall, 'id' | 'tool'>,
  roles: readonly string[],
): string {
  return `Call ${id} (${tool}) is still to be decided; ${roles.length === 0 ? 'anybody' : roles.join(', ')} may now.`;
}

export function formatRejectedCommandNotice({ by, command }: ReceivedCommand, why: string): string {
  return `${commandNouns[command.kind]} ${by === null ? '' : `by ${toOneLine(by)} `}was not taken: ${why}`;
}

const commandNouns = {
  decide: 'A decision',
  steer: 'A message',
  pause: 'A pause',
  resume: 'A wish to go on',
  limit: 'A change of limits',
  unreadable: 'Something said',
} as const satisfies { readonly [kind in ReceivedCommand['command']['kind']]: string };

/** These three are what the model is told. */
export function renderDenial(kind: RequestKind, by: string | null, why: string | null): string {
  const who = by === null ? 'a person' : toOneLine(by);
  if (kind === 'question') return `${who} does not answer this${formatCause(why)}.`;
  return `Denied by ${who}${formatCause(why)}. It was not run. Do not ask for the same again: go on without it, or propose something else.`;
}

export function renderApprovalExpiry(ms: number | null): string {
  return `Nobody approved it within ${formatLongDuration(ms ?? 0)}; it was not run. Go on without it.`;
}

export function renderQuestionExpiry(ms: number | null): string {
  return `Nobody answered within ${formatLongDuration(ms ?? 0)}. Go on without an answer.`;
}

const permanentFailurePattern = /(Call (\d+\.\d+) \([^)]*\) failed for good): [\s\S]*$/;
const unknownOutcomePattern =
  /(The outcome of call (\d+\.\d+), [\s\S]*? is unknown): [\s\S]*\. (It may have happened; check before it is done again\.)/;

/**
 * What a failed call said of itself stands at the end of these sentences, and is its result.
 *
 * @param tells whether the result of this call may be told
 */
export function removeCauses(text: string, tells: (call: string) => boolean): string {
  return text
    .replace(permanentFailurePattern, (all, said: string, call: string) => (tells(call) ? all : `${said}.`))
    .replace(unknownOutcomePattern, (all, said: string, call: string, then: string) =>
      tells(call) ? all : `${said}. ${then}`,
    );
}
