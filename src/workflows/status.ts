/**
 * What the list of workflows can be searched by while a chain runs and once it has ended. An upsert is an event: it is made
 * when the status changes, never by the step, and only where the start could be registered, because an unknown attribute
 * blocks a workflow for ever.
 */

import { defineSearchAttributeKey, type SearchAttributePair, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { createKeywordKey } from '../contract/search-attributes.js';
import { toDoubleAttribute, toIntAttribute, toKeywordAttribute } from '../contract/temporal-limits.js';
import type { ChainResult } from '../core/engine/result.js';
import type { ChainState } from '../core/model/state.js';
import { countTotalTokens } from '../core/model/usage.js';
import { type ChainStatus, getChainStatus } from '../core/state/due-requests.js';

const stepsKey = defineSearchAttributeKey('LonghandSteps', SearchAttributeType.INT);
const tokensKey = defineSearchAttributeKey('LonghandTokens', SearchAttributeType.INT);
const costUsdKey = defineSearchAttributeKey('LonghandCostUsd', SearchAttributeType.DOUBLE);

export class StatusUpdater {
  private last: ChainStatus;

  /** @param begun what the run begins with: the attributes go from run to run */
  constructor(begun: ChainState) {
    this.last = getChainStatus(begun);
  }

  /** Who waits for a person is found by it: the inbox is a search. */
  update(state: ChainState): void {
    const status = getChainStatus(state);
    if (status === this.last) return;
    this.last = status;
    upsertAttributes([{ key: createKeywordKey('LonghandStatus'), value: status }]);
  }

  close(result: ChainResult): void {
    const attributes: SearchAttributePair[] = [
      { key: createKeywordKey('LonghandStatus'), value: 'ended' },
      { key: createKeywordKey('LonghandOutcome'), value: toKeywordAttribute(result.outcome) },
      { key: stepsKey, value: toIntAttribute(result.steps) },
      { key: tokensKey, value: toIntAttribute(countTotalTokens(result.usage)) },
    ];
    // Without a price there is no cost: none is not 0.
    if (result.costUsd !== null) attributes.push({ key: costUsdKey, value: toDoubleAttribute(result.costUsd) });
    upsertAttributes(attributes);
  }
}

function upsertAttributes(attributes: SearchAttributePair[]): void {
  const known = workflowInfo().typedSearchAttributes.get(createKeywordKey('LonghandAgent')) !== undefined;
  if (known) upsertSearchAttributes(attributes);
}
