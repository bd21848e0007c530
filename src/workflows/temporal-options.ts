/**
 * Options by which Temporal runs each activity and each sub-chain. Each text and number that comes from a state is brought
 * into the range that Temporal accepts (contract/temporal-limits.ts).
 *
 * 1. Cancellation is always waited for: the outcome of a call must be known.
 * 2. However a parent ends, its sub-chains are told to stop: nothing of a tree outlives the tree.
 * 3. A chain id is used once: a run of the parent that was reset finds what the run before had begun.
 */

import type { SearchAttributePair } from '@temporalio/common';
import {
  ActivityCancellationType,
  type ChildWorkflowCancellationType,
  type ChildWorkflowOptions,
  type ParentClosePolicy,
  type scheduleActivity,
  workflowInfo,
} from '@temporalio/workflow';
import { createKeywordKey } from '../contract/search-attributes.js';
import { toAttempts, toDetails, toKeywordAttribute, toSummary, toTimeout } from '../contract/temporal-limits.js';
import type { Action } from '../core/model/action.js';
import { defaults } from '../core/model/defaults.js';
import type { ChainInput } from '../core/model/fact.js';
import { getRootId, listPathIds } from '../core/model/lineage.js';
import type { ChainState, PendingCall } from '../core/model/state.js';
import { type SnippetMasker, webUiSummaryLength } from '../core/view/snippet-masker.js';
import { formatChainLink } from './web-ui/sub-chains.js';
import { formatModelSummary, formatToolSummary } from './web-ui/summaries.js';

type ScheduleOptions = Parameters<typeof scheduleActivity>[2];

/** Milliseconds to take a definition down. */
const prepareTimeoutMs = 30_000;

const waitForCancel = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;

export function createPrepareOptions(state: ChainState): ScheduleOptions {
  return {
    ...waitForCancel,
    startToCloseTimeout: prepareTimeoutMs,
    retry: { maximumAttempts: 4, initialInterval: 250 },
    summary: toSummary(state.input?.agent ?? ''),
  };
}

/** One attempt: the chain decides on every other, because each is paid for (L6). */
export function createCallModelOptions(
  state: ChainState,
  action: Extract<Action, { type: 'callModel' }>,
): ScheduleOptions {
  return {
    ...waitForCancel,
    // The provider is given the time itself; the rest is for policies, the agent's check, and saying what came of it.
    startToCloseTimeout: toTimeout(
      action.timeoutMs + 2 * defaults.checkMs + 5_000 + (action.purpose === 'first' ? prepareTimeoutMs : 0),
    ),
    heartbeatTimeout: toTimeout(state.agent?.model.heartbeatMs ?? defaults.modelHeartbeatMs),
    retry: { maximumAttempts: 1 },
    summary: formatModelSummary(state, action),
  };
}

/** What a sub-chain came to must be known, and the history is there for days. */
export function createReadChildOptions(chainId: string): ScheduleOptions {
  return { ...waitForCancel, startToCloseTimeout: 60_000, retry: { maximumAttempts: 5 }, summary: toSummary(chainId) };
}

/** For as long as the server keeps the history, whatever keeps the archive from taking it. */
export function createArchiveOptions(): ScheduleOptions {
  return {
    ...waitForCancel,
    startToCloseTimeout: 5 * 60_000,
    retry: { initialInterval: 1_000, maximumInterval: 10 * 60_000 },
    summary: 'the run before',
  };
}

export function createScoreOptions({ candidates, tool }: Extract<Action, { type: 'score' }>): ScheduleOptions {
  return {
    ...waitForCancel,
    startToCloseTimeout: defaults.toolTimeoutMs,
    retry: { maximumAttempts: defaults.toolAttempts },
    summary: toSummary(`${candidates.length} answers to ${tool}`),
  };
}

/** A tool that may not be repeated has one attempt (L5). */
export function createToolOptions(state: ChainState, call: PendingCall, shown: SnippetMasker): ScheduleOptions {
  const tool = state.agent?.tools.find(({ name }) => name === call.tool);
  return {
    ...waitForCancel,
    startToCloseTimeout: toTimeout((tool?.timeoutMs ?? defaults.toolTimeoutMs) + computePolicyMs(call)),
    heartbeatTimeout: toTimeout(tool?.heartbeatMs ?? defaults.toolHeartbeatMs),
    retry: {
      maximumAttempts: call.effects === 'unsafe' ? 1 : toAttempts(tool?.attempts ?? defaults.toolAttempts),
      initialInterval: toTimeout(tool?.backoffMs ?? defaults.toolBackoffMs),
    },
    summary: formatToolSummary(state, call, shown),
  };
}

/** Policies that are asked before the tool is run take nothing of its time: in doubt is only what was begun. */
function computePolicyMs({ changedUnder }: PendingCall): number {
  return changedUnder === undefined ? 0 : defaults.checkMs;
}

/** Returns the options of a sub-chain, and what the Web UI shows of it from the first moment. */
export function createChildOptions(chainId: string, input: ChainInput, shown: SnippetMasker): ChildWorkflowOptions {
  const typedSearchAttributes = toSearchAttributes(chainId, input);
  return {
    workflowId: chainId,
    parentClosePolicy: 'REQUEST_CANCEL' satisfies ParentClosePolicy,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED' satisfies ChildWorkflowCancellationType,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    staticSummary: toSummary(shown.line(`${input.agent} · ${input.task}`, webUiSummaryLength)),
    staticDetails: toDetails(
      `**Agent** ${input.agent} · **sub-chain of** ${listPathIds({ chainId, input }).slice(0, -1).map(formatChainLink).join(' → ')}`,
    ),
    ...(typedSearchAttributes.length > 0 ? { typedSearchAttributes } : {}),
    ...toParentTimeout(),
  };
}

/** Where the server is to end the parent, because its workers may be gone by then, theirs are as well. */
function toParentTimeout(): Pick<ChildWorkflowOptions, 'workflowExecutionTimeout'> {
  const { executionTimeoutMs = 0, executionExpirationTime: end } = workflowInfo();
  if (executionTimeoutMs === 0 || end === undefined) return {};
  return { workflowExecutionTimeout: toTimeout(end.getTime() - Date.now()) };
}

/** Only where those of the parent could be registered: an unknown one blocks a workflow for ever. */
function toSearchAttributes(chainId: string, input: ChainInput): SearchAttributePair[] {
  const known = workflowInfo().typedSearchAttributes.get(createKeywordKey('LonghandAgent')) !== undefined;
  if (!known) return [];
  const { agent, tenant } = input;
  return [
    { key: createKeywordKey('LonghandAgent'), value: toKeywordAttribute(agent) },
    { key: createKeywordKey('LonghandStatus'), value: 'running' },
    { key: createKeywordKey('LonghandRoot'), value: toKeywordAttribute(getRootId({ chainId, input })) },
    ...(typeof tenant !== 'string'
      ? []
      : [{ key: createKeywordKey('LonghandTenant'), value: toKeywordAttribute(tenant) }]),
  ];
}
