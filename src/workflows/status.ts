/**
 * What the list of workflows can be searched by while a chain runs and once it has ended. An upsert is an event: it is made
 * when the status changes, never by the step, and only where the start could be registered, because an unknown attribute
 * blocks a workflow for ever.
 */

import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { keyword } from '../contract/search-attributes.js';
import { toDoubleAttribute, toIntAttribute, toKeywordAttribute } from '../contract/temporal-limits.js';
import type { ChainResult } from '../core/engine/result.js';
import type { State } from '../core/model/state.js';
import { totalTokens } from '../core/model/usage.js';
import { type ChainStatus, statusOf } from '../core/state/asks-due.js';

const steps = defineSearchAttributeKey('LonghandSteps', SearchAttributeType.INT);
const tokens = defineSearchAttributeKey('LonghandTokens', SearchAttributeType.INT);
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
      { key: keyword('LonghandOutcome'), value: toKeywordAttribute(result.outcome) },
      { key: steps, value: toIntAttribute(result.steps) },
      { key: tokens, value: toIntAttribute(totalTokens(result.usage)) },
    ];
    // Without a price there is no cost: none is not 0.
    if (result.costUsd !== null) attributes.push({ key: costUsd, value: toDoubleAttribute(result.costUsd) });
    upsert(attributes);
  }
}

function upsert(attributes: SearchAttributePair[]): void {
  const known = workflowInfo().typedSearchAttributes.get(keyword('LonghandAgent')) !== undefined;
  if (known) upsertSearchAttributes(attributes);
}
