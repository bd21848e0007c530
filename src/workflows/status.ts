/**
 * Updates a chain's search attributes (search-attributes.ts). An upsert is an event: only when the status changes, not per
 * step.
 */

import { defineSearchAttributeKey, SearchAttributeType, type SearchAttributeUpdatePair } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import { createKeywordKey, toDoubleAttribute, toIntAttribute, toKeywordAttribute } from '../contract/index.js';
import { type ChainResult, findHolder, getChainStatus } from '../core/engine/index.js';
import { type ChainState, countTotalTokens, type Fact } from '../core/model/index.js';
import { hasSearchAttributes, hasStartAttributes, listStartAttributes } from './search-attributes.js';

const stepsKey = defineSearchAttributeKey('LonghandSteps', SearchAttributeType.INT);
const tokensKey = defineSearchAttributeKey('LonghandTokens', SearchAttributeType.INT);
const costUsdKey = defineSearchAttributeKey('LonghandCostUsd', SearchAttributeType.DOUBLE);

export class StatusUpdater {
  private last: ReturnType<typeof toStatus>;

  /** @param chainState the state at the run's start: attributes are inherited from run to run */
  constructor(chainState: ChainState) {
    this.last = toStatus(chainState);
  }

  /**
   * Sets the attributes that the start did not set, once a worker has reported that the server knows them. Also one that
   * lacks the agent: a chain whose agent no worker has is found by them.
   */
  begin({ chainId, input }: ChainState, facts: readonly Fact[]): void {
    if (input === null || hasStartAttributes()) return;
    const isReported = facts.some((fact) => 'searchAttributes' in fact && fact.searchAttributes === 'registered');
    if (!isReported && !hasSearchAttributes()) return;
    upsertSearchAttributes(listStartAttributes(chainId, input));
    this.last = { status: 'running', heldBy: null };
  }

  /** Updates the status. The list of chains that wait for people is a search for it. */
  update(state: ChainState): void {
    const { status, heldBy } = toStatus(state);
    const { last } = this;
    if (status === last.status && heldBy === last.heldBy) return;
    this.last = { status, heldBy };
    upsertAttributes([
      { key: createKeywordKey('LonghandStatus'), value: status },
      ...(heldBy === last.heldBy ? [] : [{ key: createKeywordKey('LonghandHeldBy'), value: heldBy }]),
    ]);
  }

  close(result: ChainResult): void {
    const attributes: SearchAttributeUpdatePair[] = [
      { key: createKeywordKey('LonghandStatus'), value: 'ended' },
      ...(this.last.heldBy === null ? [] : [{ key: createKeywordKey('LonghandHeldBy'), value: null }]),
      { key: createKeywordKey('LonghandOutcome'), value: toKeywordAttribute(result.outcome) },
      { key: stepsKey, value: toIntAttribute(result.steps) },
      { key: tokensKey, value: toIntAttribute(countTotalTokens(result.usage)) },
    ];
    if (result.agentVersion !== undefined) {
      const value = toKeywordAttribute(result.agentVersion);
      attributes.push({ key: createKeywordKey('LonghandAgentVersion'), value });
    }
    // Without a price, the cost is unknown, not 0.
    if (result.costUsd !== null) attributes.push({ key: costUsdKey, value: toDoubleAttribute(result.costUsd) });
    upsertAttributes(attributes);
  }
}

function toStatus(state: ChainState) {
  return { status: getChainStatus(state), heldBy: findHolder(state) };
}

function upsertAttributes(attributes: SearchAttributeUpdatePair[]): void {
  if (hasSearchAttributes()) upsertSearchAttributes(attributes);
}
