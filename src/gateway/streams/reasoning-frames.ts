/**
 * The format `reasoning`: events of steps in the four types and the five kinds of tools that its readers know.
 *
 * 1. A step is sent when it appears and when its content changes.
 * 2. A request to people is no step: its call is sent again when the status of the chain changes with it. Notices are left out.
 * 3. The last event has the final status, and no step.
 */

import type { WatchEvent } from '../../client/follow/event.js';
import { isObject, toValueText } from '../../core/lib/json.js';
import type { ReasoningState } from '../../core/view/reasoning.js';
import { type ReasoningEventStep, toReasoningEvent } from '../../core/view/reasoning-event.js';
import { encodeFrame, type Format, type FormatEvent } from './frame.js';
import { formatPositionId } from './position-id.js';
import { formatJsonFrame } from './sse.js';

export const reasoningFormat: Format = { create: createReasoningFormatter, needsEarlier: true };

export interface StreamedReasoning {
  readonly type: 'reasoning';
  readonly task_id: string;
  readonly step: StreamedStep;
  readonly chain_status: ReasoningState;
}

export interface StreamedStep
  extends Pick<ReasoningEventStep, 'step_id' | 'step_number' | 'timestamp' | 'thought' | 'confidence' | 'visibility'> {
  readonly type: StreamedStepType;
  readonly tool_call?: Omit<Required<ReasoningEventStep>['tool_call'], 'tool_type'> & { readonly tool_type: ToolType };
  readonly tool_result?: Omit<Required<ReasoningEventStep>['tool_result'], 'duration_ms'> & {
    readonly duration_ms: number;
  };
  readonly synthesis?: { readonly sources: readonly string[]; readonly conclusion: string };
}

type StreamedStepType = 'thinking' | 'tool_call' | 'tool_result' | 'synthesis';

type ToolType = 'external' | 'skill' | 'sub_agent' | 'database' | 'file_system';

/** Returns the event of a step; null for other events, and for kinds of steps that the format does not have. */
export function toStreamedReasoning(event: WatchEvent): StreamedReasoning | null {
  if (event.type !== 'step-changed') return null;
  const { kind } = event.step;
  if (!isStepType(kind)) return null;
  const { step, ...rest } = toReasoningEvent(event.chainId, event.step, event.state);
  const { why: _, tool_call, tool_result, synthesis, ...common } = step;
  return {
    ...rest,
    step: {
      ...common,
      type: kind,
      ...(tool_call === undefined ? {} : { tool_call: toToolCall(tool_call) }),
      ...(tool_result === undefined
        ? {}
        : { tool_result: { ...tool_result, duration_ms: Math.round(tool_result.duration_ms ?? 0) } }),
      ...(synthesis === undefined
        ? {}
        : { synthesis: { ...synthesis, conclusion: toValueText(synthesis.conclusion) } }),
    },
  };
}

function isStepType(kind: string): kind is StreamedStepType {
  return kind === 'thinking' || kind === 'tool_call' || kind === 'tool_result' || kind === 'synthesis';
}

function toToolCall(call: Required<ReasoningEventStep>['tool_call']): Required<StreamedStep>['tool_call'] {
  const { tool_type, arguments: given } = call;
  // A model may write any JSON.
  return { ...call, tool_type: toToolType(tool_type), arguments: isObject(given) ? given : { value: given } };
}

/** Kinds of Longhand that the format does not have are `external`. */
function toToolType(kind: string): ToolType {
  switch (kind) {
    case 'skill':
    case 'sub_agent':
    case 'database':
    case 'file_system':
      return kind;
    default:
      return 'external';
  }
}

function createReasoningFormatter(): FormatEvent {
  const choose = createReasoningFilter();
  return (event) => {
    const data = event.type === 'view-completed' ? toLastEvent(event) : choose(event);
    if (data === null) return null;
    const { runId, eventId, item } = event;
    const position = { runId, eventId, item };
    const fields = { event: data.type, id: formatPositionId(position) };
    return { bytes: encodeFrame(formatJsonFrame(data, fields)), position, topic: null, replaces: null };
  };
}

function toLastEvent({ chainId, type, view }: Extract<WatchEvent, { type: 'view-completed' }>) {
  return { type, task_id: chainId, chain_status: view.state };
}

/** Returns a function that leaves out events with nothing new, and repeats a call whose request changes the status. */
export function createReasoningFilter(): (event: WatchEvent) => StreamedReasoning | null {
  /** Of the newest steps: earlier ones do not change. */
  const sent = new Map<string, { readonly json: string; readonly event: StreamedReasoning }>();
  let newest = 0;
  let status: ReasoningState | null = null;
  const send = (event: StreamedReasoning): StreamedReasoning => {
    const { step_id, step_number } = event.step;
    if (step_number > newest) {
      for (const [id, { event: old }] of sent) if (old.step.step_number < newest) sent.delete(id);
      newest = step_number;
    }
    sent.set(step_id, { json: JSON.stringify(event.step), event });
    status = event.chain_status;
    return event;
  };
  return (event) => {
    if (event.type !== 'step-changed') return null;
    const made = toStreamedReasoning(event);
    if (made !== null) return sent.get(made.step.step_id)?.json === JSON.stringify(made.step) ? null : send(made);
    if (event.step.kind !== 'approval' || event.state === status) return null;
    const call = event.step.id.replace(/p\d+$/, '');
    const known = sent.get(call);
    return known === undefined ? null : send({ ...known.event, chain_status: event.state });
  };
}
