/** A viewed step as an event of a stream of reasoning steps, for programs that show steps by their type and level. */

import type { Json } from '../lib/index.js';
import { hasResult } from '../model/index.js';
import type { ReasoningState, StepKind } from './reasoning.js';
import type { FullStep, StepView, SummaryStep } from './reasoning-view.js';
import type { WhySource } from './why.js';

/** Names and members are those of JSON streams: in snake case, times in ISO 8601. Absent members do not apply. */
export interface ReasoningEvent {
  readonly type: 'reasoning';
  /** The chain. */
  readonly task_id: string;
  readonly step: ReasoningEventStep;
  readonly chain_status: ReasoningState;
}

export interface ReasoningEventStep {
  readonly step_id: string;
  readonly step_number: number;
  readonly type: StepKind;
  /** Absent in a hidden step. */
  readonly timestamp?: string;
  readonly thought?: string;
  /** From 0 to 1. */
  readonly confidence?: number;
  /** Of a reply after several sub-agents: the ids of the results that it combines. */
  readonly combines?: readonly string[];
  readonly tool_call?: {
    readonly tool_type: string;
    readonly tool_name: string;
    /** Empty in a step at `summary`. */
    readonly arguments: Json;
    /** Links the call and its result. */
    readonly correlation_id: string;
  };
  readonly tool_result?: {
    readonly correlation_id: string;
    readonly success: boolean;
    /** Null if the call failed, and in a step at `summary`. */
    readonly result: Json;
    /** Of a failed call, in a step at `full`. */
    readonly error?: string;
    readonly duration_ms: number | null;
  };
  readonly synthesis?: {
    /** Ids of the steps that it cites or repeats. */
    readonly sources: readonly string[];
    readonly conclusion: Json;
  };
  /** Of calls and answers: one line, and where it is taken from. */
  readonly why?: { readonly text: string; readonly source: WhySource };
  readonly visibility: { readonly level: StepView['level']; readonly summary?: string };
}

/** Converts a step as its viewer sees it. @param state of the chain, from the same event of `watch` */
export function toReasoningEvent(chainId: string, step: StepView, state: ReasoningState): ReasoningEvent {
  return { type: 'reasoning', task_id: chainId, step: toEventStep(step), chain_status: state };
}

function toEventStep(step: StepView): ReasoningEventStep {
  const place = { step_id: step.id, step_number: step.number, type: step.kind };
  if (step.level === 'hidden') return { ...place, visibility: { level: 'hidden' } };
  const why = step.why === undefined ? {} : { why: { text: step.why.text, source: step.why.by } };
  const combines = step.combines === undefined ? {} : { combines: step.combines.ids };
  const timed = { ...place, timestamp: new Date(step.at).toISOString(), ...combines, ...why };
  if (step.level === 'summary')
    return { ...timed, ...toOutline(step), visibility: { level: 'summary', summary: step.summary } };
  return { ...timed, ...toContent(step), visibility: { level: 'full' } };
}

/** A call without its arguments, or a result without its content: the link between them, and whether it succeeded. */
function toOutline(step: SummaryStep): Partial<ReasoningEventStep> {
  const { kind, tool, toolKind, correlationId, status, durationMs } = step;
  if (tool === null || toolKind === null || correlationId === null) return {};
  switch (kind) {
    case 'tool_call':
      return {
        tool_call: { tool_type: toolKind, tool_name: tool, arguments: {}, correlation_id: correlationId },
      };
    case 'tool_result':
      return {
        tool_result: {
          correlation_id: correlationId,
          success: hasResult(status),
          result: null,
          duration_ms: durationMs,
        },
      };
    default:
      return {};
  }
}

function toContent(step: FullStep): Partial<ReasoningEventStep> {
  switch (step.kind) {
    case 'thinking':
      return { thought: step.thought ?? '', ...(step.confidence === null ? {} : { confidence: step.confidence }) };
    case 'tool_call':
      return {
        tool_call: {
          tool_type: step.toolKind,
          tool_name: step.tool,
          arguments: step.input,
          correlation_id: step.correlationId,
        },
      };
    case 'tool_result': {
      const success = hasResult(step.status);
      const error = success ? {} : { error: toErrorText(step.observation) };
      const result = success ? step.observation : null;
      return {
        tool_result: { correlation_id: step.correlationId, success, result, ...error, duration_ms: step.durationMs },
      };
    }
    case 'synthesis':
      return { synthesis: { sources: step.sources.map(({ id }) => id), conclusion: step.conclusion } };
    default:
      return {};
  }
}

function toErrorText(observation: Json): string {
  return typeof observation === 'string' ? observation : JSON.stringify(observation);
}
