/**
 * Local calls run within the workflow task that starts them, without an activity of their own: a step needs seven events instead
 * of twelve, and one round trip instead of two. So does the preparation of the agent, in a chain's first task.
 *
 * 1. Only tools whose definition has `local` have them, and only calls without an effect: a local call that is lost runs again.
 * 2. The ready calls of a step are local only together. Their results are the facts of one turn, and the chain takes no other
 *    turn before it: other commands of the task wait for its end, so a parallel activity would start late.
 * 3. A local call has one short attempt. If it fails in any way, the call runs as an activity, with its retries and timeout.
 * 4. A preparation that reads a history, files or a source of tools, or asks a provider, is an activity from the start or fails at
 *    once: a workflow task must not wait for others.
 */

import type { Action } from '../model/action.js';
import { prepareActivityId } from '../model/activity.js';
import { isWithoutEffect } from '../model/agent.js';
import { type ChainState, changeState, type PendingCall } from '../model/state.js';
import { type Advance, emit, unchanged } from './advance.js';
import { isWorthCounting } from './conversation-size.js';
import { listCalls } from './flight.js';
import { replaceCall, settleCall } from './step.js';
import { notRunText } from './stop.js';

/** Whether the ready calls of the step run as local calls. */
export function areLocal(state: ChainState, ready: readonly PendingCall[]): boolean {
  if (ready.length === 0) return false;
  const isRunning = listCalls(state).some(({ progress }) => progress === 'running');
  return !isRunning && ready.every((call) => mayBeLocal(state, call));
}

/** Calls that people or a worker had to do with run as activities. */
function mayBeLocal({ agent }: ChainState, call: PendingCall): boolean {
  const tool = agent?.tools.find(({ name }) => name === call.tool);
  return (
    tool?.local === true &&
    isWithoutEffect(call.effects) &&
    tool.source === undefined &&
    call.localRun === undefined &&
    call.approvedUnder === undefined &&
    call.changedUnder === undefined &&
    call.answers === undefined &&
    call.retries === undefined &&
    call.requeues === undefined &&
    call.payment === undefined &&
    call.unchecked === undefined
  );
}

/** Rule 4. Only a worker knows the agent's sources. */
export function mayPrepareLocally(state: ChainState): boolean {
  const { input, flight, requeue, failing } = state;
  const isFirstAttempt = flight.kind === 'idle' && !flight.hasFailedLocally && requeue === null && failing === null;
  return isFirstAttempt && !input?.files?.length && input?.lineage?.branch === undefined && !isWorthCounting(state);
}

/** Ids of the local calls, or of the local preparation, that an action starts. */
export function listLocalStarts(action: Action): readonly string[] {
  switch (action.type) {
    case 'prepare':
      return action.local ? [prepareActivityId] : [];
    case 'runCalls':
      return action.local ? action.calls.map(({ id }) => id) : [];
    default:
      return [];
  }
}

/** Ids of the running local calls, in their order, or of the local preparation. */
export function listLocalCallIds(state: ChainState): readonly string[] {
  if (state.flight.kind === 'preparing') return state.flight.local ? [prepareActivityId] : [];
  return listCalls(state).flatMap(({ id, progress, localRun }) =>
    progress === 'running' && localRun === 'running' ? [id] : [],
  );
}

/** Rule 3. */
export function endLocalRun(before: ChainState, id: string): Advance {
  const call = listCalls(before).find((candidate) => candidate.id === id && candidate.localRun === 'running');
  if (call === undefined || before.agent === null) return unchanged(before);
  if (before.stop !== null) return settleCall(before, before.agent, call, { status: 'not_run', content: notRunText });
  return emit(replaceCall(before, { ...call, progress: 'ready', localRun: 'failed' }));
}

/** Rule 3. */
export function endLocalPreparation(before: ChainState): Advance {
  return emit(changeState(before, { flight: { kind: 'idle', hasFailedLocally: true } }));
}
