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
import { keyword } from '../contract/search-attributes.js';
import { toAttempts, toDetails, toKeywordAttribute, toSummary, toTimeout } from '../contract/temporal-limits.js';
import type { Action } from '../core/model/action.js';
import { defaults } from '../core/model/defaults.js';
import type { ChainInput } from '../core/model/fact.js';
import { pathOf, rootOf } from '../core/model/lineage.js';
import type { PendingCall, State } from '../core/model/state.js';
import { type Shown, summaryLength } from '../core/view/snippet-masker.js';
import { chainLink } from './web-ui/sub-chains.js';
import { modelSummary, toolSummary } from './web-ui/summaries.js';

type Options = Parameters<typeof scheduleActivity>[2];

/** Milliseconds to take a definition down. */
const prepareMs = 30_000;

const waitForCancel = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;

export function prepareOptions(state: State): Options {
  return {
    ...waitForCancel,
    startToCloseTimeout: prepareMs,
    retry: { maximumAttempts: 4, initialInterval: 250 },
    summary: toSummary(state.input?.agent ?? ''),
  };
}

/** One attempt: the chain decides on every other, because each is paid for (L6). */
export function callModelOptions(state: State, action: Extract<Action, { type: 'callModel' }>): Options {
  return {
    ...waitForCancel,
    // The provider is given the time itself; the rest is for policies, the agent's check, and saying what came of it.
    startToCloseTimeout: toTimeout(
      action.timeoutMs + 2 * defaults.checkMs + 5_000 + (action.purpose === 'first' ? prepareMs : 0),
    ),
    heartbeatTimeout: toTimeout(state.agent?.model.heartbeatMs ?? defaults.modelHeartbeatMs),
    retry: { maximumAttempts: 1 },
    summary: modelSummary(state, action),
  };
}

/** What a sub-chain came to must be known, and the history is there for days. */
export function readChildOptions(chainId: string): Options {
  return { ...waitForCancel, startToCloseTimeout: 60_000, retry: { maximumAttempts: 5 }, summary: toSummary(chainId) };
}

/** For as long as the server keeps the history, whatever keeps the archive from taking it. */
export function archiveOptions(): Options {
  return {
    ...waitForCancel,
    startToCloseTimeout: 5 * 60_000,
    retry: { initialInterval: 1_000, maximumInterval: 10 * 60_000 },
    summary: 'the run before',
  };
}

export function scoreOptions({ candidates, tool }: Extract<Action, { type: 'score' }>): Options {
  return {
    ...waitForCancel,
    startToCloseTimeout: defaults.toolTimeoutMs,
    retry: { maximumAttempts: defaults.toolAttempts },
    summary: toSummary(`${candidates.length} answers to ${tool}`),
  };
}

/** A tool that may not be repeated has one attempt (L5). */
export function toolOptions(state: State, call: PendingCall, shown: Shown): Options {
  const tool = state.agent?.tools.find(({ name }) => name === call.tool);
  return {
    ...waitForCancel,
    startToCloseTimeout: toTimeout((tool?.timeoutMs ?? defaults.toolTimeoutMs) + policiesMs(call)),
    heartbeatTimeout: toTimeout(tool?.heartbeatMs ?? defaults.toolHeartbeatMs),
    retry: {
      maximumAttempts: call.effects === 'unsafe' ? 1 : toAttempts(tool?.attempts ?? defaults.toolAttempts),
      initialInterval: toTimeout(tool?.backoffMs ?? defaults.toolBackoffMs),
    },
    summary: toolSummary(state, call, shown),
  };
}

/** Policies that are asked before the tool is run take nothing of its time: in doubt is only what was begun. */
function policiesMs({ changedUnder }: PendingCall): number {
  return changedUnder === undefined ? 0 : defaults.checkMs;
}

/** Returns the options of a sub-chain, and what the Web UI shows of it from the first moment. */
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
