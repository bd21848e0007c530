/**
 * How Temporal is to run a sub-chain, and what the Web UI shows of it from the first moment.
 *
 * 1. However its parent ends, it is told to stop: nothing of a tree outlives the tree.
 * 2. A chain id is used once: a run of the parent that was reset finds what the run before had begun.
 */

import type { SearchAttributePair } from '@temporalio/common';
import {
  type ChildWorkflowCancellationType,
  type ChildWorkflowOptions,
  type ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { keyword } from '../contract/search-attributes.js';
import { toDetails, toKeywordAttribute, toSummary, toTimeout } from '../contract/temporal-limits.js';
import type { ChainInput } from '../core/model/fact.js';
import { pathOf, rootOf } from '../core/model/lineage.js';
import { type Shown, summaryLength } from '../core/view/snippet-masker.js';
import { chainLink } from './web-ui/sub-chains.js';

export function childOptions(chainId: string, input: ChainInput, shown: Shown): ChildWorkflowOptions {
  const typedSearchAttributes = attributes(chainId, input);
  return {
    workflowId: chainId,
    parentClosePolicy: 'REQUEST_CANCEL' satisfies ParentClosePolicy,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED' satisfies ChildWorkflowCancellationType,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    staticSummary: toSummary(shown.line(`${input.agent} · ${input.task}`, summaryLength)),
    staticDetails: toDetails(
      `**Agent** ${input.agent} · **sub-chain of** ${pathOf({ chainId, input }).slice(0, -1).map(chainLink).join(' → ')}`,
    ),
    ...(typedSearchAttributes.length > 0 ? { typedSearchAttributes } : {}),
    ...endsWithParent(),
  };
}

/** Where the server is to end the parent, because its workers may be gone by then, theirs are as well. */
function endsWithParent(): Pick<ChildWorkflowOptions, 'workflowExecutionTimeout'> {
  const { executionTimeoutMs = 0, executionExpirationTime: end } = workflowInfo();
  if (executionTimeoutMs === 0 || end === undefined) return {};
  return { workflowExecutionTimeout: toTimeout(end.getTime() - Date.now()) };
}

/** Only where those of the parent could be registered: an unknown one blocks a workflow for ever. */
function attributes(chainId: string, input: ChainInput): SearchAttributePair[] {
  const known = workflowInfo().typedSearchAttributes.get(keyword('LonghandAgent')) !== undefined;
  if (!known) return [];
  const { agent, tenant } = input;
  return [
    { key: keyword('LonghandAgent'), value: toKeywordAttribute(agent) },
    { key: keyword('LonghandStatus'), value: 'running' },
    { key: keyword('LonghandRoot'), value: toKeywordAttribute(rootOf({ chainId, input })) },
    ...(typeof tenant !== 'string' ? [] : [{ key: keyword('LonghandTenant'), value: toKeywordAttribute(tenant) }]),
  ];
}
