/**
 * What a workflow passes to its worker beside its commands. Best effort, and nothing while it replays: a worker that only
 * replays has no listeners, and another has received it when it happened.
 */

import { proxySinks, workflowInfo } from '@temporalio/workflow';
import {
  type ArchiveSinks,
  type EventSinks,
  type TurnSinks,
  toEndEvent,
  toStepEvent,
  type WaitSinks,
} from '../contract/index.js';
import { type ChainEntry, findWaitTimes, listWaitEvents, toCloseResult, type WaitTimes } from '../core/engine/index.js';
import type { ChainState, Fact, HistorySize } from '../core/model/index.js';

const sinks = proxySinks<ArchiveSinks & EventSinks & TurnSinks & WaitSinks>();

/** Passes a turn for the worker's cache of chains. A call without it reads the history. */
export function passTurn(history: HistorySize, facts: readonly Fact[]): void {
  if (!workflowInfo().unsafe.isReplaying) sinks.longhandTurns.taken({ history, facts });
}

/** Notifies the worker that the run closes, so that it archives the run. The sweep archives runs that it missed. */
export function notifyArchiver(): void {
  if (!workflowInfo().unsafe.isReplaying) sinks.longhandArchive.ending();
}

/** Reports new steps for the hooks. */
export function reportSteps(state: ChainState, entries: readonly ChainEntry[]): void {
  if (workflowInfo().unsafe.isReplaying) return;
  // A fork adopts steps of its origin.
  const adopted = state.origin?.steps ?? 0;
  for (const entry of entries) {
    if (entry.type === 'step-added' && entry.step.number > adopted)
      sinks.longhandEvents.stepAdded(toStepEvent(state, entry.step));
  }
}

/** Reports the end of the chain for the hooks. */
export function reportEnd(state: ChainState): void {
  if (!workflowInfo().unsafe.isReplaying) sinks.longhandEvents.chainEnded(toEndEvent(state, toCloseResult(state)));
}

/** Reports for webhooks that a chain began to wait for a person or a repair. */
export class WaitReporter {
  private last: WaitTimes;

  /** @param chainState the state at the run's start: a wait continues from run to run */
  constructor(chainState: ChainState) {
    this.last = findWaitTimes(chainState);
  }

  report(state: ChainState): void {
    const { last } = this;
    const times = findWaitTimes(state);
    this.last = { waiting: findLater(last.waiting, times.waiting), held: findLater(last.held, times.held) };
    const { waiting, held } = this.last;
    if ((waiting === last.waiting && held === last.held) || workflowInfo().unsafe.isReplaying) return;
    for (const event of listWaitEvents(state)) {
      const isNew = event.type === 'chain-held' ? held !== last.held : waiting !== last.waiting;
      if (isNew) sinks.longhandWaits.began(event);
    }
  }
}

/** The end of a request leaves an older one, which was reported. */
function findLater(last: number | null, now: number | null): number | null {
  return last === null || now === null ? (now ?? last) : Math.max(last, now);
}
