/**
 * Advances a chain: one fact in, the next state and its entries out. The workflow and every reader use this function, so
 * they agree (L1). Returns a state for every fact; code that throws is a fault (fault.ts).
 *
 * All rules of a turn are listed here, in order. No rule calls another.
 */

import { computeDigest, type Sha256, toCanonicalJson } from '../lib/index.js';
import { type ChainState, changeState, type Fact, type Flight, isWithoutEffect } from '../model/index.js';
import { applyFact } from './apply-fact.js';
import { emitUnreportedUsage } from './apply-reply.js';
import { pauseAtBreakpoints } from './approvals/pause.js';
import { reflectOnStep } from './asides.js';
import { compactConversation } from './compact.js';
import { appointJudges, completeDelegations } from './delegation/complete-delegation.js';
import { queueChildren, startQueuedChildren } from './delegation/queue-children.js';
import { enforceLimits } from './enforce-limits.js';
import { acceptApprovedPlan } from './plan/accept-plan.js';
import { advancePlan } from './plan/advance-plan.js';
import { endRequeue } from './requeue.js';
import { reserveCalls } from './reserve-calls.js';
import { type Advance, emit, type Rule, unchanged } from './state/advance.js';
import { updateDueRequests } from './state/due-requests.js';
import { forgetFutileCalls, listReusableCalls } from './state/earlier-calls.js';
import type { ChainEntry } from './state/entry.js';
import { endFlight, findEndedCalls, updateWaitingTime } from './state/flight.js';
import { expireQuestion } from './state/limit-question.js';
import { noteLimitUsage } from './state/limit-usage.js';
import { endStepCounts, isLongStep, isWithoutProgress } from './state/repeats.js';
import { deliverSignals } from './state/signals.js';
import { stopStalled } from './state/stop.js';
import { beginWaits, endDueWaits, updateWaitUse } from './state/waits.js';
import { endPausedStep } from './verdicts.js';

export function advance(before: ChainState, fact: Fact, hasher?: Hasher): Advance {
  let state = countFact(before, fact, hasher);
  const context: TurnContext = { fact, before, computeSha256: toSha256(hasher) };
  const entries: ChainEntry[] = [];
  for (const { during, apply } of turnRules) {
    if (during !== undefined && state.flight.kind !== during) continue;
    const next = apply(state, context);
    state = next.state;
    if (next.entries.length > 0) entries.push(...next.entries);
  }
  return { state, entries };
}

/**
 * Complete a step when its calls have ended: reusable reads, progress, plan. Each of these rules does nothing while a call
 * is open or no step is under way.
 */
const stepCompletionRules: readonly Rule[] = [countProgress, advancePlan, reflectOnStep, endStep];

/** Escalate and expire due requests, end due waits. The last one may complete the step. */
export const dueRules: readonly Rule[] = [updateDueRequests, endDueWaits, ...stepCompletionRules];

interface TurnRule {
  /** The only flight in which the rule does anything: in others it is not called. Absent for all. */
  readonly during?: Flight['kind'];
  readonly apply: (state: ChainState, context: TurnContext) => Advance;
}

interface TurnContext {
  readonly fact: Fact;
  /** The state before the fact. */
  readonly before: ChainState;
  /** The host's, for the keys of calls: in the workflow the one in pure JavaScript, with equal results. */
  readonly computeSha256: Sha256;
}

function duringCalls(rules: readonly Rule[]): readonly TurnRule[] {
  return rules.map((rule) => ({ during: 'calls', apply: (state) => rule(state) }));
}

const turnRules: readonly TurnRule[] = [
  // Requests, waits and questions that are due by now end before the fact applies.
  ...duringCalls(dueRules),
  { during: 'idle', apply: expireQuestion },
  { apply: (state, { fact, computeSha256 }) => applyFact(state, fact, computeSha256) },
  { apply: (state, { fact }) => endRequeue(state, fact) },
  { during: 'idle', apply: endPausedStep },
  ...duringCalls([
    ...[acceptApprovedPlan, beginWaits, deliverSignals, reserveCalls],
    // Sub-chains of ready calls. A judge is added when the answers exist, and started like the others.
    ...[queueChildren, startQueuedChildren, appointJudges, startQueuedChildren, completeDelegations],
    ...stepCompletionRules,
  ]),
  { apply: (state, { before }) => emitUnreportedUsage(state, before) },
  // The next operation: the context window and limits first, then breakpoints.
  { during: 'idle', apply: compactConversation },
  { apply: enforceLimits },
  { during: 'idle', apply: pauseAtBreakpoints },
  { apply: (state, { before }) => noteLimitUsage(state, before) },
  { apply: updateWaitingTime },
  { apply: updateWaitUse },
];

function countFact(state: ChainState, fact: Fact, hasher: Hasher | undefined): ChainState {
  return changeState(state, { now: fact.at, facts: state.facts + 1, head: computeHead(state.head, fact, hasher) });
}

function countProgress(before: ChainState): Advance {
  const { agent } = before;
  const calls = findEndedCalls(before);
  if (agent === null || calls === null || before.flight.kind !== 'calls') return unchanged(before);
  const waited = isLongStep(calls, agent.tools, before.now - before.flight.startedAt);
  const hadEffect = calls.some(({ effects, progress }) => progress === 'ok' && !isWithoutEffect(effects));
  const state: ChainState = changeState(hadEffect ? forgetFutileCalls(before) : before, {
    ...endStepCounts(before, waited),
    reusableCalls: listReusableCalls(before, agent, calls),
  });
  if (state.stop !== null || !isWithoutProgress(state, agent.limits.stallThreshold)) return emit(state);
  return stopStalled(state, { code: 'no_progress', steps: state.stall.steps });
}

function endStep(state: ChainState): Advance {
  return emit(findEndedCalls(state) === null ? state : endFlight(state));
}

/**
 * How the head is computed. Readers that already know the head of an ended chain hash only origins: hashing all facts would
 * double their time, but a fork must be compared with its digest.
 */
export type Hasher = Sha256 | { readonly onlyOrigins: Sha256 };

function toSha256(hasher: Hasher = computeDigest): Sha256 {
  return typeof hasher === 'function' ? hasher : hasher.onlyOrigins;
}

/** Returns the head over a chain's facts: equal heads mean equal facts in equal order. Unchanged where facts are not hashed. */
export function computeHead(head: string, fact: Fact, hasher: Hasher = computeDigest): string {
  return typeof hasher === 'function' ? hasher(head + toCanonicalJson(fact)) : head;
}
