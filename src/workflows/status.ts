/**
 * What the list of workflows can be searched by while a chain runs and once it has ended. An upsert is an event: it is made
 * when the status changes, never by the step, and only where the start could be registered, because an unknown attribute
 * blocks a workflow for ever.
 */

import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { keyword } from '../contract/search-attributes.js';
import { type ChainStatus, statusOf } from '../core/people/chain-status.js';
import type { ChainResult } from '../core/result.js';
import type { State } from '../core/state.js';
import { totalTokens } from '../core/usage.js';

const costUsd = defineSearchAttributeKey('LonghandCostUsd', SearchAttributeType.DOUBLE);

export class Status {
  private last: ChainStatus;

  /** @param begun what the run begins with: the attributes go from run to run */
  constructor(begun: State) {
    this.last = statusOf(begun);
  }

  /** Who waits for a person is found by it: the inbox is a search. */
  keep(state: State): void {
    const status = statusOf(state);
    if (status === this.last) return;
    this.last = status;
    upsert([{ key: keyword('LonghandStatus'), value: status }]);
  }

  conclude(result: ChainResult): void {
    const attributes: SearchAttributePair[] = [
      { key: keyword('LonghandStatus'), value: 'ended' },
      { key: keyword('LonghandOutcome'), value: result.outcome },
      { key: defineSearchAttributeKey('LonghandSteps', SearchAttributeType.INT), value: result.steps },
      { key: defineSearchAttributeKey('LonghandTokens', SearchAttributeType.INT), value: totalTokens(result.usage) },
    ];
    // Without a price there is no cost: none is not 0.
    if (result.costUsd !== null) attributes.push({ key: costUsd, value: result.costUsd });
    upsert(attributes);
  }
}

function upsert(attributes: SearchAttributePair[]): void {
  const known = workflowInfo().typedSearchAttributes.get(keyword('LonghandAgent')) !== undefined;
  if (known) upsertSearchAttributes(attributes);
}
