/**
 * Temporal's options for each activity and sub-chain. Each text and number of a state is brought into the range that
 * Temporal accepts (contract/temporal-limits.ts).
 *
 * 1. A cancelled activity is always awaited: the outcome of a call must be known.
 * 2. However a parent ends, its sub-chains are cancelled: no chain of a tree outlives the tree.
 * 3. A chain id is used once: a reset run of the parent finds the sub-chains of the run before.
 */

import {
  ActivityCancellationType,
  type ChildWorkflowCancellationType,
  type ChildWorkflowOptions,
  type LocalActivityOptions,
  type ParentClosePolicy,
  type scheduleActivity,
  workflowInfo,
} from '@temporalio/workflow';
import { failureTypes, toAttempts, toDetails, toSummary, toTimeout } from '../contract/index.js';
import type { ForeignCall } from '../core/engine/index.js';
import {
  type Action,
  type ChainInput,
  type ChainState,
  defaults,
  listPathIds,
  type PendingCall,
  type ToolSnapshot,
} from '../core/model/index.js';
import { type SnippetMasker, webUiSummaryLength } from '../core/view/index.js';
import { hasSearchAttributes, listStartAttributes } from './search-attributes.js';
import { formatChainLink } from './web-ui/sub-chains.js';
import { formatModelSummary, formatToolSummary } from './web-ui/summaries.js';

type ScheduleOptions = Parameters<typeof scheduleActivity>[2];

/** Milliseconds to record an agent's definition. */
const prepareTimeoutMs = 30_000;

const waitForCancel = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;

export function createPrepareOptions(state: ChainState): ScheduleOptions {
  return {
    ...waitForCancel,
    startToCloseTimeout: prepareTimeoutMs,
    retry: { maximumAttempts: 4, initialInterval: 250 },
    summary: toSummary(state.input?.agent ?? ''),
    ...toDispatch(state),
  };
}

/** One attempt: the chain decides on each further one, because each is paid (L6). */
export function createCallModelOptions(
  state: ChainState,
  action: Extract<Action, { type: 'callModel' }>,
): ScheduleOptions {
  return {
    ...waitForCancel,
    // The provider's own time, and time for policies, the agent's check, and the report.
    startToCloseTimeout: toTimeout(action.timeoutMs + 2 * defaults.checkMs + 5_000),
    heartbeatTimeout: toTimeout(state.agent?.model.heartbeatMs ?? defaults.modelHeartbeatMs),
    retry: { maximumAttempts: 1 },
    summary: formatModelSummary(state, action),
    ...toDispatch(state),
  };
}

/**
 * After a worker has returned an operation, any worker gets it: the server may give it to the worker that runs the
 * workflow, which is the one that lacks the agent.
 */
function toDispatch({ requeue }: ChainState): Pick<ScheduleOptions, 'allowEagerDispatch'> {
  return requeue === null ? {} : { allowEagerDispatch: false };
}

/** Retried: the result of a sub-chain must be known, and its history remains for days. */
export function createReadChildOptions(chainId: string): ScheduleOptions {
  return { ...waitForCancel, startToCloseTimeout: 60_000, retry: { maximumAttempts: 5 }, summary: toSummary(chainId) };
}

/** Retried while the store or the server is unavailable. A history that the server has deleted ends it. */
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
    // For about as long as other operations go back to the task queue.
    retry: {
      initialInterval: defaults.requeueBackoffMs,
      maximumInterval: defaults.requeueBackoffLongestMs,
      maximumAttempts: defaults.scoreAttempts,
    },
    summary: toSummary(`${candidates.length} answers to ${tool}`),
  };
}

/**
 * A tool that may not be repeated has one attempt (L5). So has a call that costs: the chain decides on each further one, because
 * each has a reservation of its own (L6).
 */
export function createToolOptions(state: ChainState, call: PendingCall, masker: SnippetMasker): ScheduleOptions {
  const tool = state.agent?.tools.find(({ name }) => name === call.tool);
  return {
    ...waitForCancel,
    startToCloseTimeout: toTimeout(
      (tool?.timeoutMs ?? defaults.toolTimeoutMs) +
        computePolicyMs(call) +
        computeSlotMs(tool) +
        (tool?.source === undefined ? 0 : sourceMs),
    ),
    heartbeatTimeout: toTimeout(tool?.heartbeatMs ?? defaults.toolHeartbeatMs),
    retry: {
      maximumAttempts:
        call.effects === 'unsafe' || tool?.cost !== undefined ? 1 : toAttempts(tool?.attempts ?? defaults.toolAttempts),
      initialInterval: toTimeout(tool?.backoffMs ?? defaults.toolBackoffMs),
    },
    summary: formatToolSummary(state, call, masker),
    ...toDispatch(state),
    ...toQueueOptions(tool),
  };
}

/**
 * One attempt, and bounds that are well below the time of a workflow task: by default the SDK retries without a limit, with timers of
 * its own. `scheduleToCloseTimeout` would not do: the SDK drops it for a local activity that waits for a slot.
 */
const localBounds = {
  scheduleToStartTimeout: defaults.localCallMs,
  startToCloseTimeout: defaults.localCallMs,
  retry: { maximumAttempts: 1 },
} as const;

export function createLocalPrepareOptions({ agent }: ChainInput): LocalActivityOptions {
  return { ...localBounds, summary: toSummary(agent) };
}

export function createLocalCallOptions(
  state: ChainState,
  call: PendingCall,
  masker: SnippetMasker,
): LocalActivityOptions {
  return { ...localBounds, summary: formatToolSummary(state, call, masker) };
}

/** The check before a foreign call. It has no effect, so it may be repeated. */
export function createCheckOptions(state: ChainState, call: PendingCall, masker: SnippetMasker): ScheduleOptions {
  return {
    ...waitForCancel,
    startToCloseTimeout: defaults.toolTimeoutMs,
    heartbeatTimeout: defaults.toolHeartbeatMs,
    retry: { maximumAttempts: defaults.toolAttempts, initialInterval: defaults.toolBackoffMs },
    summary: toSummary(`check · ${formatToolSummary(state, call, masker)}`),
    ...toDispatch(state),
  };
}

/** An activity of the user heartbeats only if its definition has a time for it. */
export function createForeignActivityOptions(
  state: ChainState,
  call: PendingCall,
  { tool, run }: ForeignCall,
  masker: SnippetMasker,
): ScheduleOptions {
  const heartbeatMs = run.kind === 'activity' ? run.heartbeatMs : null;
  return {
    ...waitForCancel,
    startToCloseTimeout: toTimeout(tool.timeoutMs),
    ...(heartbeatMs === null ? {} : { heartbeatTimeout: toTimeout(heartbeatMs) }),
    retry: {
      maximumAttempts: call.effects === 'unsafe' ? 1 : toAttempts(tool.attempts),
      initialInterval: toTimeout(tool.backoffMs),
      nonRetryableErrorTypes: [failureTypes.notDone, failureTypes.toolError],
    },
    summary: formatToolSummary(state, call, masker),
    ...toQueueOptions(tool),
  };
}

/**
 * A workflow id is taken once for an unsafe call, so that no run of the chain starts its workflow twice (L5). Any other may be started
 * again after it closed.
 */
export function createCallWorkflowOptions(
  state: ChainState,
  call: PendingCall,
  { tool, run }: ForeignCall,
  masker: SnippetMasker,
): ChildWorkflowOptions {
  const { workflowExecutionTimeout: rest = Number.POSITIVE_INFINITY } = toParentTimeout();
  // The activity of an unsafe call has a limit of its own.
  const timeout = Math.min(
    run.kind === 'workflow' ? toTimeout(tool.timeoutMs) : Number.POSITIVE_INFINITY,
    Number(rest),
  );
  return {
    parentClosePolicy: 'REQUEST_CANCEL' satisfies ParentClosePolicy,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED' satisfies ChildWorkflowCancellationType,
    workflowIdReusePolicy: call.effects === 'unsafe' ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
    staticSummary: formatToolSummary(state, call, masker),
    staticDetails: toDetails(`**Call** ${call.id} of ${formatChainLink(state.chainId)} · **tool** ${call.tool}`),
    ...(run.kind === 'workflow' && tool.queue !== undefined ? { taskQueue: tool.queue.name } : {}),
    ...(Number.isFinite(timeout) ? { workflowExecutionTimeout: timeout } : {}),
  };
}

/** A queue of its own may have no worker: the call then fails, and the chain continues (L4). */
function toQueueOptions(tool: ToolSnapshot | undefined): Pick<ScheduleOptions, 'taskQueue' | 'scheduleToStartTimeout'> {
  if (tool?.queue === undefined) return {};
  return { taskQueue: tool.queue.name, scheduleToStartTimeout: toTimeout(tool.queue.queueTimeoutMs) };
}

/** For a worker to reach a source and list its tools, before the call: an unsafe call that was not sent must not be in doubt. */
const sourceMs = 25_000;

/** A call waits for a slot within its attempt. Once it has the slot, its worker keeps the tool's own time limit. */
function computeSlotMs(tool: ToolSnapshot | undefined): number {
  return tool?.concurrency === undefined ? 0 : tool.concurrency.slotTimeoutMs + defaults.graceMs;
}

/** Policies are checked before the tool runs, and do not use its time: only a call that ran can be in doubt. */
function computePolicyMs({ changedUnder, unchecked }: PendingCall): number {
  return changedUnder === undefined && !unchecked ? 0 : defaults.checkMs;
}

/** Returns the options of a sub-chain, with its texts in the Web UI. */
export function createChildOptions(chainId: string, input: ChainInput, masker: SnippetMasker): ChildWorkflowOptions {
  const typedSearchAttributes = hasSearchAttributes() ? listStartAttributes(chainId, input) : [];
  return {
    workflowId: chainId,
    parentClosePolicy: 'REQUEST_CANCEL' satisfies ParentClosePolicy,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED' satisfies ChildWorkflowCancellationType,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    staticSummary: toSummary(masker.line(`${input.agent} · ${input.task}`, webUiSummaryLength)),
    staticDetails: toDetails(
      `**Agent** ${input.agent} · **sub-chain of** ${listPathIds({ chainId, input }).slice(0, -1).map(formatChainLink).join(' → ')}`,
    ),
    ...(typedSearchAttributes.length > 0 ? { typedSearchAttributes } : {}),
    ...toParentTimeout(),
  };
}

/** If the parent has an execution timeout, sub-chains get the rest of it: its workers may be gone by then. */
function toParentTimeout(): Pick<ChildWorkflowOptions, 'workflowExecutionTimeout'> {
  const { executionTimeoutMs = 0, executionExpirationTime: end } = workflowInfo();
  if (executionTimeoutMs === 0 || end === undefined) return {};
  return { workflowExecutionTimeout: toTimeout(end.getTime() - Date.now()) };
}
