/** The sentences in which a chain says why it ended. */

import type { AgentSnapshot } from './agent.js';
import { asText, type Json } from './json.js';
import type { PendingCall, Reservation, State } from './state.js';

export function maxSteps(agent: AgentSnapshot): string {
  const said = `Max steps (${agent.limits.steps}) reached.`;
  if (agent.strategy.name !== 'autonomous') return said;
  return `${said} The agent did not call "${agent.strategy.finishToolName}".`;
}

export function tokenBudget(state: State, agent: AgentSnapshot, needed: Reservation): string {
  const next = needed.inputTokens + needed.outputTokens;
  return `Token budget (${count(agent.limits.tokens)}) reached: ${count(state.spent.tokens)} used, and the next call could take ${count(next)}.`;
}

export function costBudget(state: State, agent: AgentSnapshot, needed: Reservation): string {
  return `Cost budget (${usd(agent.limits.costUsd)}) reached: ${usd(state.spent.usd)} spent, and the next call could cost ${usd(needed.usd)}.`;
}

export function timeLimit(agent: AgentSnapshot, running: string | null): string {
  const during = running === null ? '' : ` during ${running}`;
  return `Time limit (${duration(agent.limits.timeMs)}) reached${during}.`;
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

export function cancelled(by: string | null, why: string | null): string {
  return `Cancelled${by === null ? '' : ` by ${by}`}${why === null || why === '' ? '' : `: ${why.replace(/\.$/, '')}`}.`;
}

export function unknownOutcome(call: PendingCall, message: string): string {
  const why = shorten(message, 300).replace(/\.$/, '');
  return `The outcome of call ${call.id}, ${callText(call.tool, call.input)}, is unknown: ${why}. It may have happened; check before it is done again.`;
}

/** A call in one short line. */
export function callText(tool: string, input: Json): string {
  return `${tool}(${shorten(asText(input), 200)})`;
}

export function shorten(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}

export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function usd(value: number | null): string {
  if (value === null) return 'no price';
  return `$${value >= 0.01 ? value.toFixed(2) : String(Number(value.toPrecision(2)))}`;
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`;
  return `${Math.round(ms / 6_000) / 10} min`;
}
