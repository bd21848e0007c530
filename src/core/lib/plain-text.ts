/**
 * Text that others wrote, made fit for a terminal and for people who decide about it.
 *
 * A model can hide words in control characters, zero-width characters, tags and direction marks, or between them: a tool
 * reads them, and the person who decides about the text does not. So they are shown, and so are the targets of Markdown links.
 *
 * X1 Nothing in plain text moves the cursor, changes a colour or turns the direction of what is written.
 */

/**
 * What a terminal takes for a command, as a whole: `ESC [ 31 m`, `ESC ] 0 ; title BEL`, `ESC c`. Of what has no end, only
 * its first characters are taken away; the rest is text.
 */
const terminalSequences = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    // No control character within: so however many have no end, each is looked at once.
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])\P{Cc}*(?:\x07|\x1b\\|\x9c)`,
    String.raw`\x1b[ -/]*[0-~]`,
  ].join('|'),
  'gu',
);

/** Control characters but line breaks and tabs, and those that turn the direction (X1). */
const unsafeCharacters = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/gu;

/** Line breaks and tabs stay. */
export function toPlainText(text: string): string {
  return text.replace(terminalSequences, '').replace(/\r\n?/g, '\n').replace(unsafeCharacters, '\ufffd');
}

export function toOneLine(text: string): string {
  return toPlainText(text).replace(/\s+/g, ' ').trim();
}

/** JSON text of the same value, in which whatever is unsafe in a terminal (X1) or invisible is written as `\u…`. */
export function toPlainJson(json: string): string {
  return replaceInvisible(json.replace(unsafeCharacters, escapeUnits), escapeUnits);
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/**
 * All that Unicode has for control and format, or tells displays to ignore, and separators that look like a space. Line breaks
 * and tabs stay.
 */
const invisibleCharacters = /(?!\r\n)(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]/gu;

/** Within emoji they choose a picture: `👩‍🚒`, `❤️`. */
const emojiSequences =
  /\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?(?:\u200d\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?)*/gu;

/** The text with each invisible character as its code: `\u{200b}`. */
export function showInvisible(text: string): string {
  let shown = '';
  let from = 0;
  for (const { 0: picture, index } of text.matchAll(emojiSequences)) {
    shown += text.slice(from, index).replace(invisibleCharacters, formatCodePoint) + picture;
    from = index + picture.length;
  }
  return shown + text.slice(from).replace(invisibleCharacters, formatCodePoint);
}

function formatCodePoint(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}

/** The text with each invisible character replaced. */
function replaceInvisible(text: string, replace: (character: string) => string): string {
  return text.replace(invisibleCharacters, replace);
}

/**
 * The text with its links as they are written: `[invoice](https://elsewhere.example)`. Images and HTML are written out, too.
 * An address that stands by itself may be made a link by whoever renders it: it shows where it leads.
 */
export function showAddresses(text: string): string {
  // An entity and no backslash: one that stands before it would make it live again.
  return text.replace(/\](?=[(:])/g, ']\\').replace(/<(?=[A-Za-z/!?])/g, '&lt;');
}
