/** What a chain needs next: pure, from its state alone. The workflow performs it, and only that. */

import type { AgentSnapshot } from './agent.js';
import { reserve } from './budget.js';
import { defaults } from './defaults.js';
import type { TimerName } from './fact.js';
import type { PendingCall, Purpose, Reservation, State, Stop } from './state.js';

export type Action =
  | { readonly type: 'prepare' }
  | {
      readonly type: 'callModel';
      readonly call: string;
      readonly purpose: Purpose;
      readonly attempt: number;
      readonly reservation: Reservation;
      readonly timeoutMs: number;
    }
  | { readonly type: 'runCalls'; readonly calls: readonly PendingCall[] }
  | { readonly type: 'startTimer'; readonly timer: TimerName; readonly ms: number }
  /** Tell what is running to stop. */
  | { readonly type: 'interrupt' }
  | { readonly type: 'end' };

/** No actions: the chain waits for what is in flight. */
export function decide(state: State): readonly Action[] {
  const next = state.stop === null ? goOn(state) : comeToAnEnd(state, state.stop);
  return deadlineIsDue(state) ? [deadline(state), ...next] : next;
}

function goOn(state: State): readonly Action[] {
  const { flight } = state;
  switch (flight.kind) {
    case 'idle':
      return state.agent === null ? [{ type: 'prepare' }] : callModel(state, 'step');
    case 'preparing':
    case 'model':
      return [];
    case 'calls': {
      const calls = flight.calls.filter((call) => call.progress === 'asked');
      return calls.length === 0 ? [] : [{ type: 'runCalls', calls }];
    }
    case 'retry':
      return flight.running ? [] : [{ type: 'startTimer', timer: 'retry', ms: flight.waitMs }];
  }
}

function comeToAnEnd(state: State, stop: Stop): readonly Action[] {
  if (state.flight.kind !== 'idle') return stop.interrupt === 'wanted' ? [{ type: 'interrupt' }, ...grace(state)] : [];
  if (stop.awaitsCancel && !state.cancelled) return grace(state);
  if (stop.closing) return callModel(state, 'closing');
  return [{ type: 'end' }];
}

function callModel(state: State, purpose: Purpose): readonly Action[] {
  if (state.agent === null) return [];
  const budget = reserve(state, state.agent, purpose);
  if (!budget.ok) return [{ type: 'end' }];
  const { reservation } = budget;
  const call = `model-${state.modelCalls + 1}`;
  if (purpose === 'closing') {
    return [{ type: 'callModel', call, purpose, attempt: 1, reservation, timeoutMs: closingTime(state, state.agent) }];
  }
  return [
    { type: 'callModel', call, purpose, attempt: state.attempt, reservation, timeoutMs: state.agent.model.timeoutMs },
  ];
}

/** What was told to stop at the time limit may have used up its grace; the summing-up has the rest. */
function closingTime({ startedAt, now }: State, { limits }: AgentSnapshot): number {
  const rest = startedAt + limits.timeMs + defaults.closingMs - now;
  return Math.min(defaults.closingMs, Math.max(defaults.closingMs - defaults.graceMs, rest));
}

function grace(state: State): readonly Action[] {
  return state.timers.grace ? [] : [{ type: 'startTimer', timer: 'grace', ms: defaults.graceMs }];
}

function deadlineIsDue(state: State): boolean {
  return state.agent !== null && state.stop === null && !state.timers.deadline;
}

function deadline(state: State): Action {
  const limit = state.agent?.limits.timeMs ?? defaults.timeMs;
  return { type: 'startTimer', timer: 'deadline', ms: Math.max(1, state.startedAt + limit - state.now) };
}
