/**
 * Runs an agent as a child of a user's own workflow: the package entry `longhand/workflow`. Pure, so that any workflow bundle
 * may contain it. The definition of the agent stays in the workers: a workflow knows its name, and its type.
 */

import { ChildWorkflowFailure } from '@temporalio/common';
import {
  CancellationScope,
  type ChildWorkflowCancellationType,
  executeChild,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { toDetails, toSummary, workflowType } from '../contract/index.js';
import type { AgentResult, AgentType, ChainResult } from '../core/engine/index.js';
import type { ChainInput } from '../core/model/index.js';
import { createSnippetMasker, webUiSummaryLength } from '../core/view/index.js';
import type { TaskInput } from '../options/index.js';
import { findResult, readResult, toCancel } from './child-result.js';
import { type RunAgentOptions, toChildInput, toExecutionTimeout } from './run-agent-options.js';

export type { AgentAnswer, AgentResult, AgentType, TypedResult } from '../core/engine/index.js';
export type { RunAgentOptions } from './run-agent-options.js';

/**
 * Runs an agent as a child workflow and returns its result for every outcome. A cancel of this workflow, or of the scope
 * around the call, cancels the chain, which ends its calls first. Then the cancel is thrown here, unless the chain had
 * already ended by itself. Approvals wait in the inbox as for all chains.
 *
 * @throws {ChildWorkflowFailure} {CancelledFailure} {ActivityFailure} the cancel: test with Temporal's `isCancellation`
 * @throws {WorkflowExecutionAlreadyStartedError} when a chain with this id exists
 * @throws {ApplicationFailure} `longhand.InvalidStart` for an invalid task or option
 * @example
 * const { answer } = await runAgent<typeof clerk>('clerk', `Answer: ${letter}`, { limits: { costUsd: 0.5 } });
 */
export async function runAgent<A extends AgentType = AgentType>(
  agent: A['name'],
  task: TaskInput,
  options: RunAgentOptions = {},
): Promise<AgentResult<A>> {
  const input = toChildInput(agent, task, options);
  const chainId = options.chainId ?? `${agent}-${uuid4()}`;
  const taskQueue = options.taskQueue ?? workflowInfo().taskQueue;
  const startedAt = Date.now();
  const snippetMasker = createSnippetMasker();
  try {
    return (await executeChild<(input: ChainInput) => Promise<ChainResult>>(workflowType, {
      workflowId: chainId,
      args: [input],
      taskQueue,
      parentClosePolicy: options.parentClosePolicy ?? 'REQUEST_CANCEL',
      cancellationType: 'WAIT_CANCELLATION_COMPLETED' satisfies ChildWorkflowCancellationType,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      staticSummary: toSummary(
        snippetMasker.line(`${agent} · ${typeof task === 'string' ? task : input.task}`, webUiSummaryLength),
      ),
      staticDetails: toDetails(`**Agent** ${agent}`),
      ...toExecutionTimeout(options),
    })) as AgentResult<A>;
  } catch (error) {
    if (!(error instanceof ChildWorkflowFailure)) throw error;
    const result = findResult(error);
    if (result !== null) return result as AgentResult<A>;
    if (CancellationScope.current().consideredCancelled) throw toCancel(error);
    return (await readResult(error, { chainId, taskQueue, startedAt })) as AgentResult<A>;
  }
}
