/**
 * Makes untrusted text safe for a terminal and for people who decide by it.
 *
 * A model can hide text in control characters, zero-width characters, tags and direction marks, or between them: a tool
 * reads it, and a person does not. So these characters are shown, and so are the targets of Markdown links.
 *
 * X1 Plain text never moves the cursor, changes a colour or reverses the direction of the text.
 */

/**
 * Complete terminal commands: `ESC [ 31 m`, `ESC ] 0 ; title BEL`, `ESC c`. Of a command without an end, only the first
 * characters are removed; the rest is text.
 */
const terminalSequences = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    // No control character inside: so each of many commands without an end is scanned only once.
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])\P{Cc}*(?:\x07|\x1b\\|\x9c)`,
    String.raw`\x1b[ -/]*[0-~]`,
  ].join('|'),
  'gu',
);

/** Control characters except line breaks and tabs, and characters that change the direction (X1). */
const unsafeCharacters = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/gu;

/** Removes terminal commands and replaces unsafe characters. Line breaks and tabs stay. */
export function toPlainText(text: string): string {
  return text.replace(terminalSequences, '').replace(/\r\n?/g, '\n').replace(unsafeCharacters, '\ufffd');
}

export function toOneLine(text: string): string {
  return toPlainText(text).replace(/\s+/g, ' ').trim();
}

/** Returns the words of a text in lower case, letters and digits with single blanks: "I'll" is "i ll". */
export function toWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}

/** Returns JSON text of the same value, with characters that are unsafe (X1) or invisible written as `\u…`. */
export function toPlainJson(json: string): string {
  return replaceInvisible(json.replace(unsafeCharacters, escapeUnits), escapeUnits);
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/**
 * Unicode's control and format characters, those that displays ignore, and separators that look like a space. Line breaks
 * and tabs are not included.
 */
const invisibleCharacters = /(?!\r\n)(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]/gu;

/** In emoji, invisible characters choose a picture: `👩‍🚒`, `❤️`. */
const emojiSequences =
  /\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?(?:\u200d\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?)*/gu;

/** Writes each invisible character as its code: `\u{200b}`. */
export function showInvisible(text: string): string {
  return mapOutsideEmoji(text, (part) => replaceInvisible(part, formatCodePoint));
}

/** Removes invisible characters, except from emoji. */
export function removeInvisible(text: string): string {
  return mapOutsideEmoji(text, (part) => replaceInvisible(part, () => ''));
}

function mapOutsideEmoji(text: string, map: (part: string) => string): string {
  let mapped = '';
  let from = 0;
  for (const { 0: picture, index } of text.matchAll(emojiSequences)) {
    mapped += map(text.slice(from, index)) + picture;
    from = index + picture.length;
  }
  return mapped + map(text.slice(from));
}

function formatCodePoint(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}

/** Replaces each invisible character. */
function replaceInvisible(text: string, replace: (character: string) => string): string {
  return text.replace(invisibleCharacters, replace);
}

/**
 * Shows links as they are written: `[invoice](https://elsewhere.example)`. Images and HTML are written out, too. A bare
 * address may still become a link where it is rendered: it shows its target.
 */
export function showAddresses(text: string): string {
  // An entity, no backslash: a backslash before it would make the tag live again.
  return text.replace(/\](?=[(:])/g, ']\\').replace(/<(?=[A-Za-z/!?])/g, '&lt;');
}
