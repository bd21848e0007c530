/**
 * Collects what one workflow task delivers, and returns it in canonical order.
 *
 * 1. The SDK delivers everything of a task before any of our code continues, but resolves a wait at the first item.
 *    Conditions are checked again when all reactions have run; so content counts from then on, not from its arrival.
 * 2. Facts are in canonical order, and messages beyond a bound are deferred; a reader of the history finds the same
 *    (contract/delivery.ts, history/fold.ts).
 * 3. While local calls run, no turn is taken: their results may arrive one by one and, on replay, together. The turn after the last
 *    one takes all that has arrived.
 * 4. A query that is answered while the last local call ends completes the workflow task with the markers of the calls, and their results
 *    come with the next task; on replay, with the first. A worker that gets results with another task cannot distinguish this from calls that
 *    ended later, unless the length of the history leaves no room for markers. It then fails the task: the next attempt replays the
 *    history, where each result has one place. Calls that are not recorded run again, and have no effect.
 */

import { condition, workflowInfo } from '@temporalio/workflow';
import { type DeliveredFact, divideDelivery, isMessage, toFacts } from '../contract/index.js';
import type { Fact } from '../core/model/index.js';

export class TaskInbox {
  private delivered: DeliveredFact[] = [];
  private deferred: readonly DeliveredFact[] = [];
  private arrivals = 0;
  private isMarking = false;
  private hasDelivery = false;
  private runningLocalCalls = 0;
  /** Since the last turn. */
  private localResults = 0;
  /** Of the last local calls; null if none are awaited, or if a replay started them: recorded results have arrived with it. */
  private localStart: { readonly events: number } | null = null;

  /** @param order place in the order of scheduling, for a result; otherwise omitted */
  put(kind: DeliveredFact['kind'], toFact: (at: number) => Fact, order = this.arrivals++): void {
    this.delivered.push({ kind, order, toFact });
    if (kind === 'result') this.hasDelivery = true;
    else if (!this.isMarking) void this.markDeliveredLater();
  }

  /**
   * Marks a message one microtask later: each handler of a message runs in a microtask of its own, and all messages of a
   * task belong to one turn. The SDK delivers the results of a task together.
   */
  private async markDeliveredLater(): Promise<void> {
    this.isMarking = true;
    await null;
    this.isMarking = false;
    this.hasDelivery = true;
  }

  /**
   * Calls `takeTurn` with the facts of each workflow task, until it returns how the run ends.
   *
   * A turn is taken while the SDK checks the condition, outside of all cancellation scopes. After the check it would
   * enter the sandbox once more in each task, which costs as much as the turn itself.
   *
   * @param takeTurn also gets the messages that the turn defers, and the number of its results of local calls
   * @param hasRecordedNothing whether the task of the last turn has no other events than those of its commands
   */
  async takeTurns<End>(
    takeTurn: (facts: readonly Fact[], deferred: readonly DeliveredFact[], localResults: number) => End | null,
    hasRecordedNothing: (events: number) => boolean,
  ): Promise<End> {
    let end: End | null = null;
    await condition(() => {
      if (!this.hasDelivery || this.runningLocalCalls > 0) return false;
      const { historyLength: events } = workflowInfo();
      if (this.localStart !== null && this.localStart.events !== events && !hasRecordedNothing(events))
        throw new Error('Results of local calls arrived with another task; the next attempt replays the history.');
      this.localStart = null;
      const { localResults } = this;
      this.localResults = 0;
      end = takeTurn(this.take(), this.deferred, localResults);
      return end !== null;
    });
    return end as End;
  }

  /** Rule 3, until as many results of local calls have been put. */
  beginLocalCalls(count: number): void {
    const { historyLength: events, unsafe } = workflowInfo();
    this.runningLocalCalls += count;
    this.localStart = unsafe.isReplaying ? null : { events };
  }

  putLocalResult(toFact: (at: number) => Fact, order: number): void {
    this.runningLocalCalls--;
    this.localResults++;
    this.put('result', toFact, order);
  }

  /** Number of messages that no turn has taken yet. */
  countMessages(): number {
    return this.deferred.length + this.delivered.filter(isMessage).length;
  }

  /** Returns arrived facts that no turn has taken yet, so that a command is validated after them. */
  peek(): readonly Fact[] {
    return this.delivered.length === 0 ? [] : toFacts(divideDelivery(this.deferred, this.delivered).taken, Date.now());
  }

  /** Returns the facts of the arrived task, and empties the inbox except for deferred messages. */
  private take(): readonly Fact[] {
    const { taken, deferred } = divideDelivery(this.deferred, this.delivered);
    this.deferred = deferred;
    this.delivered = [];
    this.hasDelivery = false;
    return toFacts(taken, Date.now());
  }
}
