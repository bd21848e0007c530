/** The small values of the Messages wire, read with their types: usage and stop reason. */

import { isObject, type Json, type JsonObject } from '../core/json.js';
import type { StopReason, Usage } from '../core/model.js';

/** Tokens of a `usage` object. What is absent or null was not spent, or not reported: 0. */
export function toUsage(reported: JsonObject | null): Usage {
  const details = reported?.output_tokens_details;
  return {
    input: count(reported?.input_tokens),
    output: count(reported?.output_tokens),
    cacheRead: count(reported?.cache_read_input_tokens),
    cacheWrite: count(reported?.cache_creation_input_tokens),
    thinking: count(isObject(details) ? details.thinking_tokens : null),
  };
}

/** A reason that we do not know, or none, is the end of the turn: what was said decides how it goes on. */
export function toStopReason(value: Json): StopReason {
  switch (value) {
    case 'max_tokens':
    case 'stop_sequence':
    case 'tool_use':
    case 'pause_turn':
    case 'refusal':
    case 'model_context_window_exceeded':
      return value;
    default:
      return 'end_turn';
  }
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && value > 0 ? Math.ceil(value) : 0;
}
