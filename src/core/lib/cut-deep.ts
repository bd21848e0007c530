/** Cuts what is nested too deeply before it becomes part of a fact: the engine's own writer of JSON fails on such values. */

import { isObject, isTooDeep, type Json, type JsonObject } from './json.js';

/** Levels that stay of a value that is cut. */
const remainingLevels = 100;

const cutMark = '[cut: nested too deeply]';

/** Returns the value, with a mark for what lies below 100 levels if it has more than 200. */
export function cutDeep(value: unknown): Json {
  return (isTooDeep(value) ? cutBelow(value as Json, remainingLevels) : value) as Json;
}

/** Cuts what a chain was started with, and records that in the value itself: the chain must end by it. */
export function cutDeepInput(input: unknown): unknown {
  if (!isTooDeep(input)) return input;
  const cut = cutDeep(input);
  return { ...(isObject(cut) ? cut : {}), nestedTooDeeply: true };
}

/** Whether a chain's input is nested too deeply, or was before it was cut. */
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
