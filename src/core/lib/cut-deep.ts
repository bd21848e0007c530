/** Cuts values that are nested too deeply for a fact: the engine's own JSON functions fail on them. */

import { isObject, isTooDeep, type Json, type JsonObject } from './json.js';

/** Levels that remain of a cut value. */
const remainingLevels = 100;

const cutMark = '[cut: nested too deeply]';

/** Replaces everything below 100 levels by a mark if the value has more than 200. */
export function cutDeep(value: unknown): Json {
  return (isTooDeep(value) ? cutBelow(value as Json, remainingLevels) : value) as Json;
}

/** Cuts a chain's input and records that in it, so that the chain ends for this reason. */
export function cutDeepInput(input: unknown): unknown {
  if (!isTooDeep(input)) return input;
  const cut = cutDeep(input);
  return { ...(isObject(cut) ? cut : {}), nestedTooDeeply: true };
}

/** Returns whether a chain's input is nested too deeply, or was before it was cut. */
export function isTooDeepInput(input: unknown): boolean {
  return isTooDeep(input) || (isObject(input) && input.nestedTooDeeply === true);
}

function cutBelow(value: Json, levels: number): Json {
  if (value === null || typeof value !== 'object') return value;
  if (levels === 0) return cutMark;
  if (Array.isArray(value)) return value.map((item: Json) => cutBelow(item, levels - 1));
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, each]) => [key, cutBelow(each, levels - 1)]),
  );
}
