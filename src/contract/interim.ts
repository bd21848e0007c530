/**
 * Interim results in the details of a heartbeat, which the server has while a call runs. What arrives is validated: the
 * code of a tool sends details of its own.
 */

import { isObject, type Json, measureJson } from '../core/lib/index.js';
import { type AttemptInterim, defaults, type InterimResult } from '../core/model/index.js';

const member = 'longhandInterim';

export interface HeartbeatDetails {
  /** The tool's own details. */
  readonly progress: unknown;
  readonly interim: AttemptInterim | null;
}

/** Without an interim result, details are those of the tool. */
export function formatHeartbeatDetails({ progress, interim }: HeartbeatDetails): unknown {
  return interim === null ? progress : { progress: progress ?? null, [member]: interim };
}

export function parseHeartbeatDetails(details: unknown): HeartbeatDetails {
  if (!isObject(details) || !isObject(details[member])) return { progress: details, interim: null };
  const { attempt, interim } = details[member];
  const parsed = parseInterimResult(interim);
  const valid = parsed !== null && typeof attempt === 'number' && Number.isSafeInteger(attempt);
  return { progress: details.progress ?? undefined, interim: valid ? { attempt, interim: parsed } : null };
}

/** Twice the limit of workers: the marks of a clipped value. Deeper values than a worker's are rejected as well. */
const maxBytes = 2 * defaults.interimBytes;
const maxDepth = 101;

/** Returns null for an invalid one. An unknown level hides. */
export function parseInterimResult(value: Json | undefined): InterimResult | null {
  if (!isObject(value) || value.value === undefined) return null;
  const { bytes, depth } = measureJson(value.value, maxBytes);
  if (bytes > maxBytes || depth > maxDepth) return null;
  if (value.visibility === undefined) return { value: value.value };
  const level = isObject(value.visibility) && value.visibility.level === 'summary' ? 'summary' : 'hidden';
  return { value: value.value, visibility: { level } };
}
