/** The sentences in which a chain says why it ended. */

import { callText, count, durationExact, longDuration, shorten, usdExact } from '../lib/display.js';
import type { Json } from '../lib/json.js';
import { oneLine } from '../lib/plain.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { AskKind } from '../model/ask.js';
import type { Directed } from '../model/direction.js';
import type { OriginRef } from '../model/origin.js';
import type { Plan } from '../model/plan.js';
import type { PendingCall, Reservation, State } from '../model/state.js';
import type { Budget } from './budget.js';
import { usedInAll } from './budget-tree.js';
import { planLine } from './plan-text.js';

export const noTask =
  'The chain was started without the name of an agent or without a task. Start chains with `longhand start` or the client.';

export function maxSteps(agent: AgentSnapshot, plan: Plan | null): string {
  const said = `Max steps (${agent.limits.steps}) reached.`;
  if (plan !== null) return `${said} ${planLine(plan)}.`;
  if (agent.strategy.name !== 'autonomous') return said;
  return `${said} The agent did not call "${agent.strategy.finishToolName}".`;
}

export const noLineage =
  'The chain was started as a sub-chain without what that takes. Only a chain begins sub-chains; start this one as a chain of its own.';

export const nestedStart =
  'The chain was started with values that are nested more than 200 levels deep. Start it with flatter ones.';

export function badStart(member: string): string {
  return `The chain was started with an invalid "${member}": it must be a text or null. Start chains with \`longhand start\` or the client.`;
}

/** @param error its name alone: an engine words its messages as it likes, and every reader is to find the same reason */
export function fault(error: string, at: string): string {
  return `A fault in Longhand ended the chain: ${error} at ${at}. The worker's log has the error; report it, and start the chain again with a version that fixes it.`;
}

export function mayHaveHappened(call: string, tool: string): string {
  return `Call ${call} (${tool}) was running and may have happened; check before it is done again.`;
}

type Unpayable = Extract<Budget, { ok: false }>;

/** What is kept lies inside the limit: together with it, what is used and what is needed come to more. */
export function tokenBudget(state: State, agent: AgentSnapshot, { needed, kept }: Unpayable): string {
  const used = `${count(usedInAll(state).tokens)} used, ${count(tokensOf(kept))} kept for summing up`;
  return `Token budget (${count(agent.limits.tokens)}) reached: ${used}, and the next call could take ${count(tokensOf(needed))}.`;
}

export function costBudget(state: State, agent: AgentSnapshot, { needed, kept }: Unpayable): string {
  const spent = `${usdExact(usedInAll(state).usd)} spent, ${usdExact(kept.usd)} kept for summing up`;
  return `Cost budget (${usdExact(agent.limits.costUsd)}) reached: ${spent}, and the next call could cost ${usdExact(needed.usd)}.`;
}

function tokensOf({ inputTokens, outputTokens }: Reservation): number {
  return inputTokens + outputTokens;
}

export function otherStrategy({ chainId, strategy }: OriginRef, agent: AgentSnapshot): string {
  return `Chain ${chainId}, which this one was forked from, ran by the strategy ${strategy}, and ${agent.name} now runs by ${agent.strategy.name}: what was said by the one cannot go on by the other.`;
}

export function timeLimit(agent: AgentSnapshot, running: string | null): string {
  const during = running === null ? '' : ` during ${running}`;
  return `Time limit (${durationExact(agent.limits.timeMs)}) reached${during}.`;
}

export function historyLimit(state: State): string {
  return `The history has grown to ${count(state.history.events)} events and ${count(state.history.bytes)} bytes, close to what Temporal allows.`;
}

export function repeatedCalls(
  calls: readonly { readonly tool: string; readonly input: Json }[],
  times: number,
): string {
  return `Stalled: the model asked for the same ${times} times in a row: ${calls.map((call) => callText(call.tool, call.input)).join(', ')}.`;
}

export function noProgress(steps: number): string {
  return `Stalled: ${steps} steps in a row brought nothing new.`;
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
export function unreadable(times: number, problem: string, cutAt: number | null, agent: AgentSnapshot): string {
  return `${times} replies in a row could not be read; the last: ${cutAt === null ? faultIn(problem) : cut(cutAt, agent)}.`;
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

export function cancelled(by: string | null, why: string | null): string {
  return `Cancelled${byWhom(by)}${because(why)}.`;
}

/** Temporal's own cancel carries no name: it is mostly the parent's, which has told its reason itself. */
export function cancelledFromAbove(parent: string): string {
  return `Cancelled from above: chain ${parent}, which began it, came to its end, or somebody cancelled it in Temporal.`;
}

export function failedForGood({ id, tool }: Pick<PendingCall, 'id' | 'tool'>, message: string): string {
  return `Call ${id} (${tool}) failed for good: ${message}`;
}

export function unknownOutcome(call: PendingCall, message: string): string {
  const why = shorten(message, 300).replace(/\.$/, '');
  return `The outcome of call ${call.id}, ${callText(call.tool, call.input)}, is unknown: ${why}. It may have happened; check before it is done again.`;
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

export function givenUp(reason: string, by: string | null, why: string | null): string {
  return `${reason} Given up${byWhom(by)}${because(why)}.`;
}

export function byWhom(by: string | null): string {
  return by === null ? '' : ` by ${oneLine(by)}`;
}

export function because(why: string | null): string {
  return why === null || why === '' ? '' : `: ${oneLine(why).replace(/\.$/, '')}`;
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
