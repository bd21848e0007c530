/**
 * The format `reasoning`: events of steps in the four types and the five kinds of tools that its readers know.
 *
 * 1. A step is sent when it appears and when its content changes.
 * 2. The step sent last is sent again when the status changes without one: with a turn, or with the end of the chain. Requests to
 *    people and notices are no steps.
 * 3. The last event has the final status, and no step.
 */

import type { WatchEvent } from '../../client/index.js';
import { isObject, toValueText } from '../../core/lib/index.js';
import { getStreamedType } from '../../core/model/index.js';
import { type ReasoningEventStep, type ReasoningState, toReasoningEvent } from '../../core/view/index.js';
import type { StreamedReasoningEvent } from '../../http/index.js';
import { encodeFrame, type Format, type FormatEvent } from './frame.js';
import { formatPositionId } from './position-id.js';
import { formatJsonFrame } from './sse.js';

export const reasoningFormat: Format = { create: createReasoningFormatter, needsEarlier: true, needsTurns: true };

type StreamedReasoning = Extract<StreamedReasoningEvent, { type: 'reasoning' }>;

type StreamedStep = StreamedReasoning['step'];

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

function isStepType(kind: string): kind is StreamedStep['type'] {
  return kind === 'thinking' || kind === 'tool_call' || kind === 'tool_result' || kind === 'synthesis';
}

function toToolCall(call: Required<ReasoningEventStep>['tool_call']): NonNullable<StreamedStep['tool_call']> {
  const { tool_type, arguments: args } = call;
  // A model may write any JSON.
  return { ...call, tool_type: getStreamedType(tool_type), arguments: isObject(args) ? args : { value: args } };
}

function createReasoningFormatter(): FormatEvent {
  const choose = createReasoningFilter();
  return (event) => {
    const { runId, eventId, item } = event;
    const position = { runId, eventId, item };
    const step = choose(event);
    const last = event.type === 'view-completed' ? toLastEvent(event) : null;
    const id = formatPositionId(position);
    const frames = [
      // A client that has the step alone gets both again: the id is that of the end.
      ...(step === null ? [] : [formatJsonFrame(step, { event: step.type, ...(last === null ? { id } : {}) })]),
      ...(last === null ? [] : [formatJsonFrame(last, { event: last.type, id })]),
    ];
    if (frames.length === 0) return null;
    return { bytes: encodeFrame(frames.join('')), position, topic: null, replaces: null };
  };
}

function toLastEvent({ chainId, type, view }: Extract<WatchEvent, { type: 'view-completed' }>): StreamedReasoningEvent {
  return { type, task_id: chainId, chain_status: view.state };
}

/** Returns a function that leaves out events with nothing new, and repeats the step sent last when the status changes. */
export function createReasoningFilter(): (event: WatchEvent) => StreamedReasoning | null {
  /** Of the newest steps, by their ids: earlier ones do not change. */
  const sent = new Map<string, { readonly json: string; readonly number: number }>();
  let newest = 0;
  let last: StreamedReasoning | null = null;
  const sendStep = (event: StreamedReasoning): StreamedReasoning | null => {
    const { step_id, step_number: number } = event.step;
    const json = JSON.stringify(event.step);
    if (sent.get(step_id)?.json === json) return null;
    if (number > newest) {
      for (const [id, old] of sent) if (old.number < newest) sent.delete(id);
      newest = number;
    }
    sent.set(step_id, { json, number });
    last = event;
    return event;
  };
  const sendStatus = (status: ReasoningState): StreamedReasoning | null => {
    if (last === null || last.chain_status === status) return null;
    last = { ...last, chain_status: status };
    return last;
  };
  return (event) => {
    switch (event.type) {
      case 'step-changed': {
        const made = toStreamedReasoning(event);
        return made === null ? null : sendStep(made);
      }
      case 'turn-completed':
        return sendStatus(event.state);
      case 'view-completed':
        return sendStatus(event.view.state);
      default:
        return null;
    }
  };
}
