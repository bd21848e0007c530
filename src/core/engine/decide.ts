/** What a chain needs next: pure, from its state alone. The workflow performs it, and only that. */

import { decideChildActions, decideChildReads } from '../delegation/child-actions.js';
import { findFirstCallLineage, reserveShare } from '../delegation/sub-chain-start.js';
import { computeMaxDepth } from '../delegation/validate-delegation.js';
import type { Action } from '../model/action.js';
import type { AgentSnapshot } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import { getDepth } from '../model/lineage.js';
import type { ChainState, Stop } from '../model/state.js';
import { listDelegatingCalls } from '../state/children.js';
import { findNextDueTime } from '../state/due-requests.js';
import { computeWorkedMs } from '../state/flight.js';

/** No actions: the chain waits for what is in flight. */
export function decide(state: ChainState): readonly Action[] {
  const next = state.stop === null ? decideNext(state) : decideEnd(state, state.stop);
  const timers = [...decideDeadlineTimer(state), ...decideRequestTimer(state)];
  return timers.length === 0 ? next : [...timers, ...next];
}

function decideNext(state: ChainState): readonly Action[] {
  const { flight } = state;
  switch (flight.kind) {
    case 'idle':
      if (state.agent === null) return [decideFirstAction(state)];
      return state.paused === null ? [decideStepCall(state, state.agent)] : [];
    case 'preparing':
    case 'model':
      return [];
    case 'calls': {
      const calls = flight.calls.filter((call) => call.progress === 'ready');
      const run: readonly Action[] = calls.length === 0 ? [] : [{ type: 'runCalls', calls }];
      return [...run, ...decideChildActions(state)];
    }
    case 'retry':
      return flight.running ? [] : [{ type: 'startTimer', timer: 'retry', ms: flight.waitMs }];
  }
}

function decideFirstAction(state: ChainState): Action {
  const lineage = findFirstCallLineage(state);
  if (lineage === null) return { type: 'prepare' };
  const { share } = lineage;
  const reservation = reserveShare(share);
  return { type: 'callModel', call: 'model-1', purpose: 'first', attempt: 1, reservation, timeoutMs: share.timeMs };
}

function decideEnd(state: ChainState, stop: Stop): readonly Action[] {
  if (state.flight.kind !== 'idle') {
    const told: readonly Action[] =
      stop.interrupt === 'wanted' ? [{ type: 'interrupt' }, ...decideGraceTimer(state)] : [];
    return [...told, ...decideChildReads(state)];
  }
  if (stop.awaitsCancel && !state.temporalCancelled) return decideGraceTimer(state);
  // Without an agent there is nobody to sum up, and nothing was found.
  if (!stop.closing || state.agent === null) return [{ type: 'end' }];
  return [decideClosingCall(state, state.agent)];
}

function decideStepCall(state: ChainState, { model }: AgentSnapshot): Action {
  const { attempt } = state;
  return { ...createModelCall(state), purpose: 'step', attempt, timeoutMs: model.timeoutMs };
}

function decideClosingCall(state: ChainState, agent: AgentSnapshot): Action {
  return { ...createModelCall(state), purpose: 'closing', attempt: 1, timeoutMs: computeClosingTimeout(state, agent) };
}

/** @throws Error where no rule has reserved what the call may cost: a fault of these, which ends the chain and says so */
function createModelCall({ modelCalls, reservation }: ChainState) {
  if (reservation === null) throw new Error('Nothing is reserved for the next call of the model.');
  return { type: 'callModel', call: `model-${modelCalls + 1}`, reservation } as const;
}

/** What was told to stop at the time limit may have used up its grace; the summing-up has the rest. */
function computeClosingTimeout(state: ChainState, { limits }: AgentSnapshot): number {
  const rest = limits.timeMs + defaults.closingMs - computeWorkedMs(state);
  return Math.min(defaults.closingMs, Math.max(defaults.closingMs - defaults.graceMs, rest));
}

function decideGraceTimer(state: ChainState): readonly Action[] {
  return state.timers.grace
    ? []
    : [{ type: 'startTimer', timer: 'grace', ms: defaults.graceMs + computeSubChainGrace(state) }];
}

/** Sub-chains have the same grace for what they run, and each level some time to say what came of it. */
function computeSubChainGrace(state: ChainState): number {
  const { agent } = state;
  if (agent === null || listDelegatingCalls(state).length === 0) return 0;
  return defaults.graceBelowMs * Math.max(1, computeMaxDepth(state, agent) - getDepth(state));
}

/** No time runs while only people and sub-chains are waited for: these have a time of their own. */
function decideDeadlineTimer(state: ChainState): readonly Action[] {
  const { agent, stop, timers, waitingTime } = state;
  if (agent === null || timers.deadline) return [];
  // A stopped chain waits for its sub-chains no longer than its time: none may have been set while it only waited for them.
  if (stop !== null && (stop.interrupt !== 'none' || listDelegatingCalls(state).length === 0)) return [];
  if (waitingTime.since !== null && !agent.waitingCounts) return [];
  return [{ type: 'startTimer', timer: 'deadline', ms: Math.max(1, agent.limits.timeMs - computeWorkedMs(state)) }];
}

/** One timer for the request that is due first; it is set anew for the next one when it fires. */
function decideRequestTimer(state: ChainState): readonly Action[] {
  const due = state.stop === null ? findNextDueTime(state) : null;
  if (due === null || (state.timers.request !== null && state.timers.request <= due)) return [];
  return [{ type: 'startTimer', timer: 'request', ms: Math.max(1, due - state.now) }];
}
