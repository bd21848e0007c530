/**
 * Keeps the workflow tasks of a chain apart on replay (L1).
 *
 * The SDK treats a task without commands as a heartbeat if no command came since the task before it began and the next task follows
 * directly: on replay, its content comes with the next task, at another time (`find_end_index_of_next_wft_seq` in the SDK's core).
 * So a turn that leaves no command adds one, which changes nothing and costs one small event.
 *
 * A turn that only starts local calls is usually the task after a model call, and needs none: the event of the scheduled call is
 * between. Its task ends without a command only where a query is answered while the calls run.
 */

import { upsertMemo } from '@temporalio/workflow';
import { listLocalStarts } from '../core/engine/index.js';
import type { Action } from '../core/model/index.js';

/** The end of a task, and the next task's scheduling and start. */
const eventsAroundTask = 3;

/** The end of a task, the start and the end of the activity that it scheduled, and the next task's scheduling and start. */
const eventsAroundCall = 5;

export class TaskSeparator {
  /** Events of that task's commands; null if they are not known exactly. */
  private commands: number | null = 0;

  /** @param events of the history when the last task with a turn began; at first, when the run's first task did */
  constructor(private events: number) {}

  /**
   * @param actions of the turn. Each schedules a command, but an interrupt may have nothing to stop, and a timer may be over
   * @param events of the history, when the turn's task began: for results of local calls that a turn started, the task of that turn
   * @param localResults number of the turn's results of local calls, each a command of its own
   */
  separate(actions: readonly Action[], events: number, localResults: number): void {
    const earlier = events === this.events ? this.commands : 0;
    let own = countCommands(actions);
    if (own === 0 && !(startsLocalCalls(actions) && this.isDirectlyAfterCall(events))) {
      upsertMemo({ LonghandTurn: null });
      own = 1;
    }
    this.commands = earlier === null || own === null ? null : earlier + localResults + own;
    this.events = events;
  }

  /** Whether the next task follows directly, and the last one has recorded nothing but its commands. */
  hasRecordedNothing(events: number): boolean {
    return this.commands !== null && events === this.events + this.commands + eventsAroundTask;
  }

  /** Any task between would have added three events. Too few counted commands only add a command; too many would omit one. */
  private isDirectlyAfterCall(events: number): boolean {
    return this.commands !== null && this.commands > 0 && events === this.events + this.commands + eventsAroundCall;
  }
}

/** Null if the number of events is not certain. */
function countCommands(actions: readonly Action[]): number | null {
  let count = 0;
  for (const action of actions) {
    if (action.type === 'callModel' || action.type === 'startTimer') count++;
    else if (action.type !== 'interrupt' && action.type !== 'cancelTimer' && !isLocal(action)) return null;
  }
  return count;
}

function startsLocalCalls(actions: readonly Action[]): boolean {
  return actions.length > 0 && actions.every(isLocal);
}

function isLocal(action: Action): boolean {
  return listLocalStarts(action).length > 0;
}
