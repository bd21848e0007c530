/** What stands at marked places of a value, so that it can be kept out of texts that repeat it. */

import { asText, type Json } from '../json.js';
import { mapJson } from './map-json.js';
import { type FieldPath, pathParts } from './policy.js';

/** Shorter ones would be found inside of innocent words and numbers. */
const shortest = 6;

export function textsAt(value: Json, paths: readonly FieldPath[]): readonly string[] {
  const found: string[] = [];
  mapJson(value, {
    paths: paths.map(pathParts),
    value: (held, { marked }) => {
      if (!marked) return undefined;
      for (const leaf of leavesOf(held)) if (leaf.length >= shortest) found.push(leaf);
      return null;
    },
    key: (key) => key,
    keys: () => {},
    nameOf: (key) => key,
  });
  return found;
}

/** Not by recursion: how deep a value is, a model decides. */
function leavesOf(value: Json): readonly string[] {
  const ahead = [value];
  const leaves: string[] = [];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'object' && next !== null) for (const each of Object.values<Json>(next)) ahead.push(each);
    else if (typeof next === 'string' || typeof next === 'number') leaves.push(asText(next).trim());
  }
  return leaves;
}
