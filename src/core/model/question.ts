/** What a call of a tool asks that a person answers. */

import { isObject, type Json } from '../lib/json.js';

/** In its words, or null where there are none. */
export function questionIn(input: Json): string | null {
  return isObject(input) && typeof input.question === 'string' ? input.question : null;
}

/** Answers that the model proposes. */
export function choicesIn(input: Json): readonly string[] {
  if (!isObject(input) || !Array.isArray(input.options)) return [];
  return input.options.filter((option: Json) => typeof option === 'string') as string[];
}
