/** From what a tool gave back to what the model is shown of it. */

import type { Json } from '../../core/lib/json.js';
import { defaults } from '../../core/model/defaults.js';
import type { Observation } from '../../core/model/fact.js';
import { clipObservation } from '../../core/state/observation.js';

export function toObservation(value: Json, maxTokens: number): Observation {
  return fitObservation(clipObservation(value, maxTokens));
}

/** The whole of it, as it is kept where the model is shown a part. */
export function toFullContent(value: Json): { readonly content: Uint8Array; readonly mediaType: string } {
  if (typeof value === 'string') return { content: Buffer.from(value), mediaType: 'text/plain; charset=utf-8' };
  return { content: Buffer.from(JSON.stringify(value)), mediaType: 'application/json' };
}

/** What an agent allows its observations is one thing, what Temporal stores another; as JSON a byte may take six. */
function fitObservation(observation: Observation): Observation {
  if (Buffer.byteLength(JSON.stringify(observation)) <= defaults.observationBytes) return observation;
  const smaller = clipObservation(observation.content, defaults.observationBytes / (4 * 6));
  return { ...smaller, clippedFrom: observation.clippedFrom ?? smaller.clippedFrom };
}

/** What is not JSON becomes JSON; what cannot is said, since the call itself went well. */
export function toJson(value: unknown): Json {
  if (value === undefined) return 'done';
  try {
    return (JSON.parse(JSON.stringify(value) ?? 'null') as Json) ?? null;
  } catch (error) {
    return `done, but what it gave back cannot be written as JSON: ${error instanceof Error ? error.message : error}`;
  }
}
