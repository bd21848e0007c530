/** The arguments of a call in one line: `city="Paris" days=3`. */

import { showInvisible } from '../lib/hidden-text.js';
import { asText, isObject, type Json } from '../lib/json.js';
import { oneLine } from '../lib/plain.js';

/** The members of an object, any other value as it is. */
export function argumentsText(input: Json): string {
  if (!isObject(input)) return oneLine(showInvisible(asText(input)));
  const members = Object.entries(input).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return oneLine(showInvisible(members.join(' ')));
}
