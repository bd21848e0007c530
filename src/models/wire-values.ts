/** The small values of the Messages wire, read with their types: usage counts and stop reason. */

import { isCount } from '../core/lib/check-value.js';
import { shorten } from '../core/lib/display.js';
import { isObject, type Json } from '../core/lib/json.js';
import type { StopReason, Usage } from '../core/model/model.js';

export interface ReportedCounts {
  /** Those that were reported. */
  readonly counts: Partial<Usage>;
  /** The first that is no count, as a clause for a person; null where all are. */
  readonly problem: string | null;
}

/** The counts of a `usage` object. Absent and null mean the same on this wire: not reported. */
export function readUsage(reported: Json | undefined): ReportedCounts {
  if (reported === undefined || reported === null) return { counts: {}, problem: null };
  if (!isObject(reported)) return { counts: {}, problem: `it reported ${shown(reported)} as usage` };
  const details = reported.output_tokens_details;
  const said: Readonly<Record<keyof Usage, readonly [name: string, value: Json | undefined]>> = {
    input: ['input_tokens', reported.input_tokens],
    output: ['output_tokens', reported.output_tokens],
    cacheRead: ['cache_read_input_tokens', reported.cache_read_input_tokens],
    cacheWrite: ['cache_creation_input_tokens', reported.cache_creation_input_tokens],
    thinking: ['thinking_tokens', isObject(details) ? details.thinking_tokens : null],
  };
  const present = Object.entries(said).filter(([, [, value]]) => value !== undefined && value !== null);
  const wrong = present.find(([, [, value]]) => !isCount(value));
  return {
    counts: Object.fromEntries(present.flatMap(([name, [, value]]) => (isCount(value) ? [[name, value]] : []))),
    problem: wrong === undefined ? null : `it reported ${shown(wrong[1][1])} as ${wrong[1][0]}`,
  };
}

function shown(value: Json | undefined): string {
  return typeof value === 'number' ? String(value) : shorten(JSON.stringify(value), 40);
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
