/** Text of a document, for the model: a stranger may have written it. */

import { shorten } from '../../core/lib/display.js';
import type { Json } from '../../core/lib/json.js';
import { removeInvisible, toOneLine } from '../../core/lib/plain-text.js';

/** Returns one line without invisible characters; empty for another value. */
export function cleanLine(text: Json | undefined, characters: number): string {
  return typeof text === 'string' ? shorten(toOneLine(removeInvisible(text.slice(0, 20_000))), characters) : '';
}
