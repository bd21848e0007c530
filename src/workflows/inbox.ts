/**
 * Collects what one workflow task delivers, and gives it out in the canonical order.
 *
 * 1. The SDK hands over all that a task delivers before any of our code goes on, but wakes whoever waits
 *    at the first of it. So `next` waits twice: until something has come, and once more until the rest
 *    of the task has.
 * 2. Within a task, facts are in canonical order; a reader of the history finds the same (history/fold.ts).
 */

import { condition } from '@temporalio/workflow';
import { canonicalOrder, type Delivered } from '../contract/order.js';
import type { Fact } from '../core/fact.js';

export class Inbox {
  private delivered: Delivered[] = [];
  private arrivals = 0;

  /** `order` is the place among the scheduled for a result, and left out for all else. */
  put(kind: Delivered['kind'], fact: (at: number) => Fact, order = this.arrivals++): void {
    this.delivered.push({ kind, order, fact });
  }

  /** The facts of the next workflow task that delivers any. */
  async next(): Promise<readonly Fact[]> {
    await condition(() => this.delivered.length > 0);
    await restOfTheTask();
    const facts = canonicalOrder(this.delivered, Date.now());
    this.delivered = [];
    return facts;
  }
}

/** Conditions are looked at again only after everything that the task delivered has been handed over. */
function restOfTheTask(): Promise<void> {
  let looks = 0;
  return condition(() => looks++ > 0);
}
