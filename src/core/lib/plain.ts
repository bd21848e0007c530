/**
 * Text that others wrote, made fit for a terminal.
 *
 * X1 Nothing in it moves the cursor, changes a colour or turns the direction of what is written.
 */

import { replaceInvisible } from './hidden-text.js';

/**
 * What a terminal takes for a command, as a whole: `ESC [ 31 m`, `ESC ] 0 ; title BEL`, `ESC c`. Of what has no end, only
 * its first characters are taken away; the rest is text.
 */
const commands = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    // No control character within: so however many have no end, each is looked at once.
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])\P{Cc}*(?:\x07|\x1b\\|\x9c)`,
    String.raw`\x1b[ -/]*[0-~]`,
  ].join('|'),
  'gu',
);

/** Control characters but line breaks and tabs, and those that turn the direction (X1). */
const unsafe = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/gu;

/** Line breaks and tabs stay. */
export function plain(text: string): string {
  return text.replace(commands, '').replace(/\r\n?/g, '\n').replace(unsafe, '\ufffd');
}

export function oneLine(text: string): string {
  return plain(text).replace(/\s+/g, ' ').trim();
}

/** JSON text of the same value, in which whatever is unsafe in a terminal (X1) or invisible is written as `\u…`. */
export function plainJson(json: string): string {
  return replaceInvisible(json.replace(unsafe, escapeUnits), escapeUnits);
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
