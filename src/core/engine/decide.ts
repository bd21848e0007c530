/** Decides the next actions of a chain from its state alone. The workflow performs exactly these. */

import { LonghandError } from '../lib/index.js';
import {
  type Action,
  type AgentSnapshot,
  type ChainState,
  defaults,
  getDepth,
  isAside,
  type ModelCallPurpose,
  type Stop,
} from '../model/index.js';
import { decideChildActions, decideChildReads } from './delegation/child-actions.js';
import { computeMaxDepth } from './delegation/validate-delegation.js';
import { listDelegatingCalls } from './state/children.js';
import { findNextDueTime } from './state/due-requests.js';
import { awaitsVerdict, computeWorkedMs, isRequeued, isRetryWait } from './state/flight.js';
import { asksAtLimits } from './state/limit-question.js';
import { areLocal } from './state/local-calls.js';
import { listCandidateNames } from './state/route.js';
import { findNextWaitEnd } from './state/waits.js';

/** Returns no actions while the chain waits for the operation under way. */
export function decide(state: ChainState): readonly Action[] {
  const next = state.stop === null ? decideNext(state) : decideEnd(state, state.stop);
  const timers = [
    ...decideDeadlineTimer(state),
    ...decideRequestTimer(state),
    ...decideRetryTimer(state),
    ...decideWaitTimer(state),
    ...decideMessagesTimer(state, next),
  ];
  return timers.length === 0 ? next : [...timers, ...next];
}

function decideNext(state: ChainState): readonly Action[] {
  const { flight } = state;
  switch (flight.kind) {
    case 'idle':
      if (state.agent === null) return [{ type: 'prepare' }];
      return state.paused === null || awaitsVerdict(state) ? [decideNextCall(state, state.agent)] : [];
    case 'preparing':
    case 'model':
      return [];
    case 'calls': {
      const wait = isRequeued(state) ? decideRequeueTimer(state) : [];
      const calls = flight.calls.filter((call) => call.progress === 'ready');
      const local = areLocal(state, calls) ? { local: true as const } : {};
      const run: readonly Action[] = calls.length === 0 ? [] : [{ type: 'runCalls', calls, ...local }];
      return [...wait, ...run, ...decideChildActions(state)];
    }
    case 'taskRetry':
    case 'modelRetry':
      return state.timers.retry ? [] : [{ type: 'startTimer', timer: 'retry', ms: flight.retryDelayMs }];
    case 'requeued':
      return decideRequeueTimer(state);
  }
}

function decideRequeueTimer({ requeue, timers, now }: ChainState): readonly Action[] {
  if (requeue === null || timers.retry) return [];
  return [{ type: 'startTimer', timer: 'retry', ms: Math.max(1, requeue.nextAt - now) }];
}

function decideEnd(state: ChainState, stop: Stop): readonly Action[] {
  if (state.flight.kind !== 'idle') {
    const interrupt: readonly Action[] =
      stop.interrupt === 'wanted' ? [{ type: 'interrupt' }, ...decideGraceTimer(state)] : [];
    return [...interrupt, ...decideChildReads(state)];
  }
  if (stop.awaitsCancel && !state.temporalCancelled) return decideGraceTimer(state);
  // Without an agent no model can sum up, and there are no findings.
  if (!stop.closing || state.agent === null) return [{ type: 'end' }];
  return [decideClosingCall(state, state.agent)];
}

function decideNextCall(state: ChainState, agent: AgentSnapshot): Action {
  const { attempt, aside = 'step' } = state;
  return { ...createModelCall(state, agent, aside), attempt, timeoutMs: agent.model.timeoutMs };
}

function decideClosingCall(state: ChainState, agent: AgentSnapshot): Action {
  return { ...createModelCall(state, agent, 'closing'), attempt: 1, timeoutMs: computeClosingTimeout(state, agent) };
}

/** @throws LonghandError where no rule reserved the call: a fault, which ends the chain */
function createModelCall(state: ChainState, agent: AgentSnapshot, purpose: ModelCallPurpose) {
  const { modelCalls, asides = 0, reservation } = state;
  const call = isAside(purpose) ? `aside-${asides + 1}` : `model-${modelCalls + 1}`;
  if (reservation === null) throw new LonghandError('internal', 'The next model call has no reservation.');
  const isChosen = agent.routing !== undefined || purpose === 'policy';
  const models = isChosen ? { models: listCandidateNames(state, agent, purpose) } : {};
  return { type: 'callModel', call, purpose, reservation, ...models } as const;
}

/** Operations cancelled at the time limit may have used their grace; the last call gets the rest. */
function computeClosingTimeout(state: ChainState, { limits }: AgentSnapshot): number {
  const rest = limits.timeMs + defaults.closingMs - computeWorkedMs(state);
  return Math.min(defaults.closingMs, Math.max(defaults.closingMs - defaults.graceMs, rest));
}

function decideGraceTimer(state: ChainState): readonly Action[] {
  return state.timers.grace
    ? []
    : [{ type: 'startTimer', timer: 'grace', ms: defaults.graceMs + computeSubChainGrace(state) }];
}

/** Sub-chains have the same grace for their own calls, and each level some time to report. */
function computeSubChainGrace(state: ChainState): number {
  const { agent } = state;
  if (agent === null || listDelegatingCalls(state).length === 0) return 0;
  return defaults.graceBelowMs * Math.max(1, computeMaxDepth(state, agent) - getDepth(state));
}

/** The clock is stopped while the chain only waits for people and sub-chains, which have times of their own. */
function decideDeadlineTimer(state: ChainState): readonly Action[] {
  const { agent, stop, timers, waitingTime } = state;
  if (agent === null || timers.deadline) return [];
  // A stopped chain waits for sub-chains until its time limit. The timer may not run yet, if it only waited for them.
  if (stop !== null && (stop.interrupt !== 'none' || listDelegatingCalls(state).length === 0)) return [];
  if (waitingTime.since !== null && !agent.waitingCounts) return [];
  const leftMs = agent.limits.timeMs - computeWorkedMs(state);
  if (stop === null && leftMs <= 0 && asksAtLimits(state)) return [];
  return [{ type: 'startTimer', timer: 'deadline', ms: Math.max(1, leftMs) }];
}

/** A person resumed the chain during the wait: without the cancel, its timer would end the next wait too early. */
function decideRetryTimer(state: ChainState): readonly Action[] {
  const { flight, stop, timers } = state;
  if (!timers.retry || stop !== null || isRetryWait(flight) || isRequeued(state)) return [];
  return [{ type: 'cancelTimer', timer: 'retry' }];
}

/** Starts one timer, for the request that is due first; when it fires, the next one is started. */
function decideRequestTimer(state: ChainState): readonly Action[] {
  const due = state.stop === null ? findNextDueTime(state) : null;
  if (due === null || (state.timers.request !== null && state.timers.request <= due)) return [];
  return [{ type: 'startTimer', timer: 'request', ms: Math.max(1, due - state.now) }];
}

/** One timer runs, for the wait that ends first. A signal or a person may end a wait before its timer fires. */
function decideWaitTimer(state: ChainState): readonly Action[] {
  const { stop, timers, now } = state;
  const due = findNextWaitEnd(state);
  if (stop !== null || timers.wait === due) return [];
  return [
    ...(timers.wait === null ? [] : [{ type: 'cancelTimer', timer: 'wait' } as const]),
    ...(due === null ? [] : [{ type: 'startTimer', timer: 'wait', ms: due - now } as const]),
  ];
}

/** Wakes the chain for deferred messages: the next turn needs an event that readers find in the history too. */
function decideMessagesTimer({ history, timers }: ChainState, next: readonly Action[]): readonly Action[] {
  if (history.deferred === undefined || timers.messages || next.some(({ type }) => type === 'end')) return [];
  return [{ type: 'startTimer', timer: 'messages', ms: 1 }];
}
