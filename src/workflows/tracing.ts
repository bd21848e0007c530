/**
 * Passes the trace context from a workflow's start to its activities and children, and notifies the worker of a chain's
 * end. In every bundle; costs next to nothing without tracing.
 *
 * The official interceptor also creates spans here, with a copy of OpenTelemetry's SDK
 * (docs/decisions/0008-telemetry.md). This one only adds headers: each call continues in the same microtask and returns
 * the same promise, so no command changes its place.
 */

import { ApplicationFailure, CancelledFailure, type Headers, TemporalFailure } from '@temporalio/common';
import {
  type ActivityInput,
  type ContinueAsNewInput,
  type LocalActivityInput,
  type Next,
  proxySinks,
  type StartChildWorkflowExecutionInput,
  type WorkflowExecuteInput,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptors,
  type WorkflowOutboundCallsInterceptor,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type ChainEnd,
  type ChainTraceIds,
  findTraceContext,
  type TraceContext,
  type TracingSinks,
  toChainContext,
  toChainTraceIds,
  toTraceHeaders,
  workflowType,
} from '../contract/index.js';
import type { ChainResult } from '../core/engine/index.js';
import type { ChainInput } from '../core/model/index.js';

export function interceptors(): WorkflowInterceptors {
  const tracing = new TracingInterceptor();
  return { inbound: [tracing], outbound: [tracing] };
}

class TracingInterceptor implements WorkflowInboundCallsInterceptor, WorkflowOutboundCallsInterceptor {
  /** Headers of the chain's start, for its next runs. */
  private own: Headers = {};
  /** The same trace below the chain's span, for its activities and sub-chains. */
  private below: Headers = {};

  execute(input: WorkflowExecuteInput, next: Next<WorkflowInboundCallsInterceptor, 'execute'>): Promise<unknown> {
    const parent = findTraceContext(input.headers);
    const { runId, firstExecutionRunId, workflowType: type } = workflowInfo();
    // A workflow of the user has no span.
    if (type !== workflowType) {
      if (parent !== null) this.own = this.below = toTraceHeaders(parent);
      return next(input);
    }
    // An activity only knows its own run; the first run's id needs a header.
    const ids = toChainTraceIds(parent === null ? runId : firstExecutionRunId);
    if (parent !== null) {
      this.own = toTraceHeaders(parent);
      this.below = toTraceHeaders(toChainContext(parent, ids));
    }
    const ended = next(input);
    ended.then(
      (result) => reportEnd(input, { parent, ids }, result),
      (error: unknown) => {
        // Any other error fails the task, not the workflow: the task is retried.
        if (error instanceof TemporalFailure) reportEnd(input, { parent, ids }, error);
      },
    );
    return ended;
  }

  scheduleActivity(
    input: ActivityInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'scheduleActivity'>,
  ): Promise<unknown> {
    return next(addHeaders(input, this.below));
  }

  scheduleLocalActivity(
    input: LocalActivityInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'scheduleLocalActivity'>,
  ): Promise<unknown> {
    return next(addHeaders(input, this.below));
  }

  startChildWorkflowExecution(
    input: StartChildWorkflowExecutionInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'startChildWorkflowExecution'>,
  ): Promise<[Promise<string>, Promise<unknown>]> {
    return next(addHeaders(input, this.below));
  }

  continueAsNew(
    input: ContinueAsNewInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'continueAsNew'>,
  ): Promise<never> {
    return next(addHeaders(input, this.own));
  }
}

function addHeaders<T extends { readonly headers: Headers }>(input: T, headers: Headers): T {
  return { ...input, headers: { ...input.headers, ...headers } };
}

interface ChainTrace {
  readonly parent: TraceContext | null;
  readonly ids: ChainTraceIds;
}

function reportEnd(input: WorkflowExecuteInput, place: ChainTrace, end: unknown): void {
  const { startTime, unsafe } = workflowInfo();
  // A worker that only replays has no listener.
  if (unsafe.isReplaying) return;
  // The input of a workflow is untrusted.
  const { agent = '' } = (input.args[0] ?? {}) as Partial<ChainInput>;
  const { longhandTracing } = proxySinks<TracingSinks>();
  longhandTracing.ended({ agent, ...toOutcome(end), startedAt: startTime.getTime(), ...place });
}

type ReportedResult = Pick<ChainEnd, 'agentVersion' | 'outcome' | 'usage'>;

function toOutcome(end: unknown): ReportedResult {
  if (end instanceof CancelledFailure) return { agentVersion: null, outcome: 'cancelled', usage: null };
  if (end instanceof ApplicationFailure) return toResultOutcome(end.details?.[0]);
  return toResultOutcome(end);
}

function toResultOutcome(result: unknown): ReportedResult {
  const { agentVersion = null, outcome = 'failure', usage = null } = (result ?? {}) as Partial<ChainResult>;
  return { agentVersion, outcome, usage };
}
