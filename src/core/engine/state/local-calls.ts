/**
 * Local calls run within the workflow task that starts them, without an activity of their own: a step needs seven events instead
 * of twelve, and one round trip instead of two. So does the preparation of the agent, in a chain's first task.
 *
 * 1. Only tools whose definition has `local` have them, and only calls without an effect: a local call that is lost runs again.
 * 2. The ready calls of a step are local only together. Their results are the facts of one turn, and the chain takes no other
 *    turn before it: other commands of the task wait for its end, so a parallel activity would start late.
 * 3. A local call has one short attempt. If it fails in any way, the call runs as an activity, with its retries and timeout.
 * 4. A chain begins with the local preparation of its agent, and its first turn has the result: no decision comes before it. If it
 *    fails, the turn decides to prepare with an activity. What reads a history or files, or asks a provider, is an activity
 *    from the start: a workflow task must not wait for others.
 */

import { isObject } from '../../lib/index.js';
import { type Action, type ChainInput, type ChainState, isWithoutEffect, type PendingCall } from '../../model/index.js';
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

/** Rule 4. A fork adopts the steps of its origin in a turn of their own. The input may be invalid. */
export function mayPrepareLocally(input: ChainInput): boolean {
  if (!isObject(input) || typeof input.agent !== 'string') return false;
  const { files, lineage, origin } = input;
  return !files?.length && lineage?.branch === undefined && origin === undefined && !isWorthCounting({ input });
}

/** Ids of the local calls that an action starts, in their order. */
export function listLocalStarts(action: Action): readonly string[] {
  return action.type === 'runCalls' && action.local ? action.calls.map(({ id }) => id) : [];
}

/** Rule 3. */
export function endLocalRun(before: ChainState, id: string): Advance {
  const call = listCalls(before).find((candidate) => candidate.id === id && candidate.localRun === 'running');
  if (call === undefined || before.agent === null) return unchanged(before);
  if (before.stop !== null) return settleCall(before, before.agent, call, { status: 'not_run', content: notRunText });
  return emit(replaceCall(before, { ...call, progress: 'ready', localRun: 'failed' }));
}
