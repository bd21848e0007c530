/**
 * The search attributes of a chain. Set only if the server knows them: an unknown one blocks a workflow for ever.
 *
 * 1. The client sets them with the start, and starts again without them if the server rejects them.
 * 2. Other programs that start a chain need not know them: the worker that takes its preparation reports whether they are
 *    registered, also one that lacks the agent.
 * 3. A schedule sets those that are the same in all of its chains; each chain adds its own.
 * 4. A sub-chain has them if its parent has.
 */

import type { SearchAttributePair } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import { createKeywordKey, toKeywordAttribute } from '../contract/index.js';
import { type ChainInput, findThreadId, getRootId } from '../core/model/index.js';

/** Returns whether this chain has search attributes. */
export function hasSearchAttributes(): boolean {
  return workflowInfo().typedSearchAttributes.get(createKeywordKey('LonghandAgent')) !== undefined;
}

/** Returns whether they include the attributes that only the chain's id gives. */
export function hasStartAttributes(): boolean {
  return workflowInfo().typedSearchAttributes.get(createKeywordKey('LonghandRoot')) !== undefined;
}

/** Returns the attributes of a chain's start. */
export function listStartAttributes(chainId: string, input: ChainInput): SearchAttributePair[] {
  const { agent, tenant } = input;
  const thread = findThreadId({ chainId, input });
  return [
    { key: createKeywordKey('LonghandAgent'), value: toKeywordAttribute(agent) },
    { key: createKeywordKey('LonghandStatus'), value: 'running' },
    { key: createKeywordKey('LonghandRoot'), value: toKeywordAttribute(getRootId({ chainId, input })) },
    ...(thread === null ? [] : [{ key: createKeywordKey('LonghandThread'), value: toKeywordAttribute(thread) }]),
    ...(typeof tenant !== 'string'
      ? []
      : [{ key: createKeywordKey('LonghandTenant'), value: toKeywordAttribute(tenant) }]),
  ];
}
