/**
 * Shows what a text hides from its reader: invisible characters, and the targets of Markdown links.
 *
 * A model can hide words in control characters, zero-width characters, tags and direction marks, or between them: a tool reads
 * them, and the person who decides about the text does not.
 */

/**
 * All that Unicode has for control and format, or tells displays to ignore, and separators that look like a space. Line breaks
 * and tabs stay.
 */
const invisible = /(?!\r\n)(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]/gu;

/** Within emoji they choose a picture: `👩‍🚒`, `❤️`. */
const emoji =
  /\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?(?:\u200d\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?)*/gu;

/** The text with each invisible character as its code: `\u{200b}`. */
export function showInvisible(text: string): string {
  let shown = '';
  let from = 0;
  for (const { 0: picture, index } of text.matchAll(emoji)) {
    shown += text.slice(from, index).replace(invisible, codeOf) + picture;
    from = index + picture.length;
  }
  return shown + text.slice(from).replace(invisible, codeOf);
}

function codeOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}

/** The text with each invisible character replaced. */
export function replaceInvisible(text: string, replace: (character: string) => string): string {
  return text.replace(invisible, replace);
}

/**
 * The text with its links as they are written: `[invoice](https://elsewhere.example)`. Images and HTML are written out, too.
 * An address that stands by itself may be made a link by whoever renders it: it shows where it leads.
 */
export function showAddresses(text: string): string {
  // An entity and no backslash: one that stands before it would make it live again.
  return text.replace(/\](?=[(:])/g, ']\\').replace(/<(?=[A-Za-z/!?])/g, '&lt;');
}
