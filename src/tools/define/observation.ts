/** Converts a tool's result to the observation that the model sees. */

import { clipObservation } from '../../core/engine/index.js';
import { estimateTextTokens, type Json, toErrorMessage, toValueText } from '../../core/lib/index.js';
import { defaults, describeFile, formatFile, type Observation } from '../../core/model/index.js';
import { isToolFile, type ToolFile } from './file.js';

/** Converts a result to an observation of at most `maxTokens`, as estimated by the scripts of its text. */
export function toObservation(value: Json, maxTokens: number): Observation {
  return fitObservation(clipToTokens(value, Math.max(1, maxTokens)));
}

/**
 * Clips by bytes, and again where the scripts of the remaining text have more tokens. Half of the bytes fit for every script. What
 * the chain itself clips (results of users' own activities, sub-chains and waits) is clipped by bytes alone.
 */
function clipToTokens(value: Json, maxTokens: number): Observation {
  let room = maxTokens;
  for (let tries = 0; ; tries++) {
    const observation = clipObservation(value, room);
    const tokens = estimateTextTokens(toValueText(observation.content));
    if (tokens <= maxTokens || room <= maxTokens / 2) return observation;
    room = tries === 2 ? maxTokens / 2 : Math.max(maxTokens / 2, (room * maxTokens) / (tokens + 1));
  }
}

/** Returns the full result as bytes, to store if the observation is clipped. */
export function toFullContent(value: Json): { readonly content: Uint8Array; readonly mediaType: string } {
  if (typeof value === 'string') return { content: Buffer.from(value), mediaType: 'text/plain; charset=utf-8' };
  return { content: Buffer.from(JSON.stringify(value)), mediaType: 'application/json' };
}

/** Clips an observation to what Temporal stores, even if the agent's limit is higher. A byte may take six as JSON. */
function fitObservation(observation: Observation): Observation {
  if (Buffer.byteLength(JSON.stringify(observation)) <= defaults.observationBytes) return observation;
  const smaller = clipObservation(observation.content, defaults.observationBytes / (4 * 6));
  return { ...smaller, clippedFrom: observation.clippedFrom ?? smaller.clippedFrom };
}

/**
 * Converts a result to JSON. If it cannot, it returns a text that reports so: the call itself succeeded.
 *
 * @param describe returns the text that takes the place of a file
 */
export function toJson(value: unknown, describe: (file: ToolFile) => string = describeToolFile): Json {
  if (value === undefined) return 'done';
  // Of 100 MB, the conversion would block the worker for a second.
  if (typeof value === 'string') return value;
  try {
    const replace = (_key: string, member: unknown) => (isToolFile(member) ? describe(member) : member);
    return (JSON.parse(JSON.stringify(value, replace) ?? 'null') as Json) ?? null;
  } catch (error) {
    return `done, but the result cannot be converted to JSON: ${toErrorMessage(error)}`;
  }
}

function describeToolFile(file: ToolFile): string {
  return formatFile(describeFile(file));
}
