/** Sentences for people and models on what happens in a chain, and the reasons of its end that take more than a code. */

import { callText, count, longDuration, shorten, usdExact } from '../lib/display.js';
import type { Json } from '../lib/json.js';
import { oneLine } from '../lib/plain.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { AskKind } from '../model/ask.js';
import type { Directed } from '../model/direction.js';
import type { Plan } from '../model/plan.js';
import type { PendingCall, State } from '../model/state.js';
import { because, byWhom, type StopReason } from '../model/stop-reason.js';
import { planLine } from '../model/tasks.js';
import type { Reservation } from '../model/usage.js';
import type { Budget } from './budget.js';
import { usedInAll } from './budget-tree.js';

/** A chain with a plan says how far it has come. */
export function maxSteps({ limits, strategy }: AgentSnapshot, plan: Plan | null): StopReason {
  const unfinished = strategy.name === 'autonomous' ? `The agent did not call "${strategy.finishToolName}"` : null;
  return { code: 'max_steps', limit: limits.steps, rest: plan === null ? unfinished : planLine(plan) };
}

type Unpayable = Extract<Budget, { ok: false }>;

export function budgetReached(state: State, { limits }: AgentSnapshot, { limit, needed, kept }: Unpayable): StopReason {
  const used = usedInAll(state);
  return limit === 'tokens'
    ? { code: 'token_budget', limit: limits.tokens, used: used.tokens, kept: tokensOf(kept), needed: tokensOf(needed) }
    : { code: 'cost_budget', limit: limits.costUsd, used: used.usd, kept: kept.usd, needed: needed.usd };
}

function tokensOf({ inputTokens, outputTokens }: Reservation): number {
  return inputTokens + outputTokens;
}

export function repeatedCalls(
  calls: readonly { readonly tool: string; readonly input: Json }[],
  times: number,
): StopReason {
  return { code: 'repeated_calls', times, calls: calls.map((call) => callText(call.tool, call.input)).join(', ') };
}

/** @param problem a clause that says what was wrong with the usage */
export function unreported(charged: Reservation, problem: string): string {
  const cost = charged.usd === null ? '' : `, ${usdExact(charged.usd)}`;
  const most = `${count(charged.inputTokens)} tokens in and ${count(charged.outputTokens)} out${cost}`;
  return `The provider reported no plausible usage (${oneLine(problem)}). The budget is charged the most that the call could use: ${most}. Later calls without plausible usage are charged in the same way.`;
}

/**
 * The correction that the model was shown is for it alone; a person is told what was wrong with the reply, and at the
 * output limit what to raise.
 *
 * @param cutAt output tokens that a reply which was cut was allowed, else null
 */
export function unreadable(times: number, problem: string, cutAt: number | null, agent: AgentSnapshot): StopReason {
  return { code: 'unreadable_replies', times, problem: cutAt === null ? faultIn(problem) : cut(cutAt, agent) };
}

function cut(at: number, { model }: AgentSnapshot): string {
  const raise =
    at < model.maxTokens ? "that the chain's budget had left: raise its limits" : "of the agent's maxTokens: raise it";
  return `it was cut at the ${count(at)} tokens ${raise}`;
}

/** The first sentence of a correction, told of the model. */
function faultIn(problem: string): string {
  const [first = problem] = /^.*?(?=[.!?](?:\s|$)|$)/s.exec(problem) ?? [];
  const told = first.replace(/^Your reply\b/, 'it').replace(/^Your\b/, 'its');
  return told.replace(/^The(?:re)?\b/, (word) => word.toLowerCase());
}

export function unknownOutcome({ id, tool, input }: PendingCall, message: string): StopReason {
  const why = shorten(message, 300).replace(/\.$/, '');
  return { code: 'unknown_outcome', call: id, text: callText(tool, input), why };
}

export function paused(by: string | null, why: string | null): string {
  return `Paused${byWhom(by)}${because(why)}.`;
}

export function resumed(by: string | null, why: string | null): string {
  return `Resumed${byWhom(by)}${because(why)}.`;
}

/** @param where as a place: `before step 3` */
export function breakpointSet(where: string, by: string | null, why: string | null): string {
  return `A breakpoint ${where} was set${byWhom(by)}${because(why)}.`;
}

export function raised(by: string | null, why: string | null, limits: string): string {
  return `Limits were raised${byWhom(by)} to ${limits}${because(why)}.`;
}

export function escalated({ id, tool }: Pick<PendingCall, 'id' | 'tool'>, roles: readonly string[]): string {
  return `Call ${id} (${tool}) is still to be decided; ${roles.length === 0 ? 'anybody' : roles.join(', ')} may now.`;
}

export function notTaken({ by, direction }: Directed, why: string): string {
  return `${said[direction.kind]} ${by === null ? '' : `by ${oneLine(by)} `}was not taken: ${why}`;
}

const said = {
  decide: 'A decision',
  steer: 'A message',
  pause: 'A pause',
  resume: 'A wish to go on',
  limit: 'A change of limits',
  unreadable: 'Something said',
} as const satisfies { readonly [kind in Directed['direction']['kind']]: string };

/** These three are what the model is told. */
export function denied(kind: AskKind, by: string | null, why: string | null): string {
  const who = by === null ? 'a person' : oneLine(by);
  if (kind === 'question') return `${who} does not answer this${because(why)}.`;
  return `Denied by ${who}${because(why)}. It was not run. Do not ask for the same again: go on without it, or propose something else.`;
}

export function notApproved(ms: number | null): string {
  return `Nobody approved it within ${longDuration(ms ?? 0)}; it was not run. Go on without it.`;
}

export function notAnswered(ms: number | null): string {
  return `Nobody answered within ${longDuration(ms ?? 0)}. Go on without an answer.`;
}

const forGood = /(Call (\d+\.\d+) \([^)]*\) failed for good): [\s\S]*$/;
const unknown =
  /(The outcome of call (\d+\.\d+), [\s\S]*? is unknown): [\s\S]*\. (It may have happened; check before it is done again\.)/;

/**
 * What a failed call said of itself stands at the end of these sentences, and is its result.
 *
 * @param tells whether the result of this call may be told
 */
export function withoutCauses(text: string, tells: (call: string) => boolean): string {
  return text
    .replace(forGood, (all, said: string, call: string) => (tells(call) ? all : `${said}.`))
    .replace(unknown, (all, said: string, call: string, then: string) => (tells(call) ? all : `${said}. ${then}`));
}
