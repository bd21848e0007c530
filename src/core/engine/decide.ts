/** What a chain needs next: pure, from its state alone. The workflow performs it, and only that. */

import { beginsWithCall, wholeShare } from '../delegation/begin-in-tree.js';
import { maxDepthOf } from '../delegation/blocked.js';
import { childrenToRead, nextForChildren } from '../delegation/child-actions.js';
import type { Action } from '../model/action.js';
import type { AgentSnapshot } from '../model/agent.js';
import { defaults } from '../model/defaults.js';
import { depthOf } from '../model/lineage.js';
import type { State, Stop } from '../model/state.js';
import { nextDue } from '../state/asks-due.js';
import { delegating } from '../state/children.js';
import { workedMs } from '../state/flight.js';

/** No actions: the chain waits for what is in flight. */
export function decide(state: State): readonly Action[] {
  const next = state.stop === null ? goOn(state) : comeToAnEnd(state, state.stop);
  const timers = [...deadline(state), ...asksTimer(state)];
  return timers.length === 0 ? next : [...timers, ...next];
}

function goOn(state: State): readonly Action[] {
  const { flight } = state;
  switch (flight.kind) {
    case 'idle':
      if (state.agent === null) return [first(state)];
      return state.held === null ? [callForStep(state, state.agent)] : [];
    case 'preparing':
    case 'model':
      return [];
    case 'calls': {
      const calls = flight.calls.filter((call) => call.progress === 'asked');
      const run: readonly Action[] = calls.length === 0 ? [] : [{ type: 'runCalls', calls }];
      return [...run, ...nextForChildren(state)];
    }
    case 'retry':
      return flight.running ? [] : [{ type: 'startTimer', timer: 'retry', ms: flight.waitMs }];
  }
}

function first(state: State): Action {
  const lineage = beginsWithCall(state);
  if (lineage === null) return { type: 'prepare' };
  const { share } = lineage;
  const reservation = wholeShare(share);
  return { type: 'callModel', call: 'model-1', purpose: 'first', attempt: 1, reservation, timeoutMs: share.timeMs };
}

function comeToAnEnd(state: State, stop: Stop): readonly Action[] {
  if (state.flight.kind !== 'idle') {
    const told: readonly Action[] = stop.interrupt === 'wanted' ? [{ type: 'interrupt' }, ...grace(state)] : [];
    return [...told, ...childrenToRead(state)];
  }
  if (stop.awaitsCancel && !state.cancelled) return grace(state);
  // Without an agent there is nobody to sum up, and nothing was found.
  if (!stop.closing || state.agent === null) return [{ type: 'end' }];
  return [callForClosing(state, state.agent)];
}

function callForStep(state: State, { model }: AgentSnapshot): Action {
  const { attempt } = state;
  return { ...modelCall(state), purpose: 'step', attempt, timeoutMs: model.timeoutMs };
}

function callForClosing(state: State, agent: AgentSnapshot): Action {
  return { ...modelCall(state), purpose: 'closing', attempt: 1, timeoutMs: closingTime(state, agent) };
}

/** @throws Error where no rule has reserved what the call may cost: a fault of these, which ends the chain and says so */
function modelCall({ modelCalls, reserved }: State) {
  if (reserved === null) throw new Error('Nothing is reserved for the next call of the model.');
  return { type: 'callModel', call: `model-${modelCalls + 1}`, reservation: reserved } as const;
}

/** What was told to stop at the time limit may have used up its grace; the summing-up has the rest. */
function closingTime(state: State, { limits }: AgentSnapshot): number {
  const rest = limits.timeMs + defaults.closingMs - workedMs(state);
  return Math.min(defaults.closingMs, Math.max(defaults.closingMs - defaults.graceMs, rest));
}

function grace(state: State): readonly Action[] {
  return state.timers.grace ? [] : [{ type: 'startTimer', timer: 'grace', ms: defaults.graceMs + graceBelow(state) }];
}

/** Sub-chains have the same grace for what they run, and each level some time to say what came of it. */
function graceBelow(state: State): number {
  const { agent } = state;
  if (agent === null || delegating(state).length === 0) return 0;
  return defaults.graceBelowMs * Math.max(1, maxDepthOf(state, agent) - depthOf(state));
}

/** No time runs while only people and sub-chains are waited for: these have a time of their own. */
function deadline(state: State): readonly Action[] {
  const { agent, stop, timers, waited } = state;
  if (agent === null || timers.deadline) return [];
  // A stopped chain waits for its sub-chains no longer than its time: none may have been set while it only waited for them.
  if (stop !== null && (stop.interrupt !== 'none' || delegating(state).length === 0)) return [];
  if (waited.since !== null && !agent.waitingCounts) return [];
  return [{ type: 'startTimer', timer: 'deadline', ms: Math.max(1, agent.limits.timeMs - workedMs(state)) }];
}

/** One timer for the request that is due first; it is set anew for the next one when it fires. */
function asksTimer(state: State): readonly Action[] {
  const due = state.stop === null ? nextDue(state) : null;
  if (due === null || (state.timers.ask !== null && state.timers.ask <= due)) return [];
  return [{ type: 'startTimer', timer: 'ask', ms: Math.max(1, due - state.now) }];
}
