/**
 * Collects what one workflow task delivers, and gives it out in the canonical order.
 *
 * 1. The SDK hands over all that a task delivers before any of our code goes on, but wakes whoever waits
 *    at the first of it. Conditions are looked at again when everything that the handing over set off has
 *    run; so what has come counts from then on, and not from when it came.
 * 2. Within a task, facts are in canonical order; a reader of the history finds the same (history/fold.ts).
 */

import { condition } from '@temporalio/workflow';
import { type DeliveredFact, toCanonicalFacts } from '../contract/facts.js';
import type { Fact } from '../core/model/fact.js';

export class TaskInbox {
  private delivered: DeliveredFact[] = [];
  private arrivals = 0;
  private hasDelivery = false;

  /** `order` is the place among the scheduled for a result, and left out for all else. */
  put(kind: DeliveredFact['kind'], fact: (at: number) => Fact, order = this.arrivals++): void {
    if (kind === 'result') this.hasDelivery = true;
    else void this.markDelivered();
    this.delivered.push({ kind, order, toFact: fact });
  }

  /** Messages are handed over one by one, results all at once before any of our code goes on. */
  private async markDelivered(): Promise<void> {
    await null;
    this.hasDelivery = true;
  }

  /** Resolves when a workflow task has delivered something. */
  waitForDelivery(): Promise<void> {
    return condition(() => this.hasDelivery);
  }

  /** What has come and was not taken yet: what is said next meets a chain that has heard it. */
  peek(): readonly Fact[] {
    return this.delivered.length === 0 ? [] : toCanonicalFacts(this.delivered, Date.now());
  }

  /** The facts of the task that has arrived. */
  take(): readonly Fact[] {
    const facts = toCanonicalFacts(this.delivered, Date.now());
    this.delivered = [];
    this.hasDelivery = false;
    return facts;
  }
}
