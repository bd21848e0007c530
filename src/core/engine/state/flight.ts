/** The operation under way: calls of the step, complete steps, and the time that counts towards the limit. */

import { type ChainState, changeState, type Flight, type PendingCall } from '../../model/index.js';
import { type Advance, emit, unchanged } from './advance.js';

/** Returns all calls of the step under way, ended ones included; empty during other operations. */
export function listCalls({ flight }: Pick<ChainState, 'flight'>): readonly PendingCall[] {
  return flight.kind === 'calls' ? flight.calls : [];
}

/** Returns whether a call has no result yet. */
export function isOpen({ progress }: PendingCall): boolean {
  return progress !== 'ok' && progress !== 'failed';
}

/** Returns a step's calls once all have ended (there may be 0); null while one is open or no step is under way. */
export function findEndedCalls({ flight }: Pick<ChainState, 'flight'>): readonly PendingCall[] | null {
  return flight.kind !== 'calls' || flight.calls.some(isOpen) ? null : flight.calls;
}

/** Returns whether this is a wait before something failed is tried again. */
export function isRetryWait({ kind }: Flight): boolean {
  return kind === 'taskRetry' || kind === 'modelRetry' || kind === 'requeued';
}

/** Returns whether the operation under way, or a call of it, waits before it is offered to workers again. */
export function isRequeued({ flight }: Pick<ChainState, 'flight'>): boolean {
  return flight.kind === 'requeued' || listCalls({ flight }).some(({ progress }) => progress === 'requeued');
}

/** Lets the calls that went back to the task queue run with the next actions. */
export function offerCalls(state: ChainState): ChainState {
  return changeRequeuedCalls(state, (call) => ({ ...call, progress: 'ready' }));
}

/** Offers what went back to the task queue as if for the first time. */
export function restartRequeue(state: ChainState): ChainState {
  const offered = changeRequeuedCalls(state, ({ requeues: _, ...call }) => ({ ...call, progress: 'ready' }));
  return changeState(state.flight.kind === 'requeued' ? endFlight(state) : offered, { requeue: null });
}

function changeRequeuedCalls(state: ChainState, change: (call: PendingCall) => PendingCall): ChainState {
  if (state.flight.kind !== 'calls') return state;
  const calls = state.flight.calls.map((call) => (call.progress === 'requeued' ? change(call) : call));
  return changeState(state, { flight: { ...state.flight, calls } });
}

/** Ends the operation under way. */
export function endFlight(state: ChainState): ChainState {
  return changeState(state, { flight: { kind: 'idle' } });
}

/** Returns whether the last step is incomplete: its calls run, or wait for a verdict. */
export function isStepOpen({ flight, held }: Pick<ChainState, 'flight' | 'held'>): boolean {
  return flight.kind === 'calls' || (held !== undefined && !held.ending?.isFinal);
}

/** Returns whether a model decides about the last step next. A pause is before the next step: it does not hold this one. */
export function awaitsVerdict({ held, aside }: Pick<ChainState, 'held' | 'aside'>): boolean {
  return held !== undefined && aside !== undefined;
}

/** Returns the number of complete steps. */
export function countCompleteSteps(state: Pick<ChainState, 'steps' | 'flight' | 'held'>): number {
  return isStepOpen(state) ? state.steps - 1 : state.steps;
}

/** Leaves out the aside that was to come next. */
export function dropAside(state: ChainState): ChainState {
  if (state.aside === undefined) return state;
  const { aside: _, ...rest } = state;
  return changeState(rest, { attempt: 1, failing: null, tried: [] });
}

/**
 * Returns the milliseconds that count towards the time limit, as of `now`. Time in which the chain only waits for people, the
 * model's provider, a worker, a time or a signal does not count, unless the agent has `waitingCounts`. The clock also stops
 * while the chain waits for sub-chains: the time that they worked is added when they end.
 */
export function computeWorkedMs({ startedAt, now, waitingTime, agent }: ChainState): number {
  if (agent?.waitingCounts) return now - startedAt;
  return now - startedAt - waitingTime.uncountedMs - (waitingTime.since === null ? 0 : now - waitingTime.since);
}

/** Returns whether the chain only waits: for people, sub-chains, a time, a signal, a worker, or the next model call. */
export function isOnlyWaiting(state: ChainState): boolean {
  const { flight, stop, paused, agent } = state;
  if (stop !== null) return false;
  if (flight.kind === 'modelRetry' || flight.kind === 'requeued') return true;
  if (agent === null) return false;
  if (flight.kind === 'idle') return paused !== null && !awaitsVerdict(state);
  const open = listCalls({ flight }).filter(isOpen);
  return open.length > 0 && open.every((call) => call.children !== undefined || isWaitingCall(call));
}

/** A call that is queued for budget waits for the calls and sub-chains that hold it. */
function isWaitingCall({ progress, payment }: PendingCall): boolean {
  const isQueued = progress === 'queued' && (payment?.retryAt ?? null) === null;
  return progress === 'waiting' || progress === 'requeued' || isQueued;
}

/** Leaves time that an operation only waited out of the time limit. */
export function leaveOutOfTimeLimit(state: ChainState, waitedMs: number): ChainState {
  const { waitingTime } = state;
  return changeState(state, { waitingTime: { ...waitingTime, uncountedMs: waitingTime.uncountedMs + waitedMs } });
}

/** Starts or stops counting the waiting time after a fact. */
export function updateWaitingTime(state: ChainState): Advance {
  const { waitingTime, now } = state;
  const waits = isOnlyWaiting(state);
  if (waits === (waitingTime.since !== null)) return unchanged(state);
  const next = waits
    ? { ...waitingTime, since: now }
    : { uncountedMs: waitingTime.uncountedMs + now - (waitingTime.since ?? now), since: null };
  return emit(changeState(state, { waitingTime: next }));
}
