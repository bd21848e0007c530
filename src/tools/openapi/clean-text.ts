/** Text of a document, for the model: a stranger may have written it. */

import { type Json, removeInvisible, shorten, toOneLine } from '../../core/lib/index.js';

/** Returns one line without invisible characters; empty for another value. */
export function cleanLine(text: Json | undefined, characters: number): string {
  return typeof text === 'string' ? shorten(toOneLine(removeInvisible(text.slice(0, 20_000))), characters) : '';
}
