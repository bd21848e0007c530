/** Words of a text, to compare texts that request the same thing: without case, accents and punctuation. */

/** A sign of a script without spaces is a word. */
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu;

/** Returns the words of a text, in its order. */
export function listWords(text: string): readonly string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return plain.match(word) ?? [];
}

/** Whether a word may number or name something, so that another one is something else. */
export function hasDigit(word: string): boolean {
  return /\p{N}/u.test(word);
}
