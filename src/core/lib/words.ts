/** Words of a text, to compare texts that request the same thing: without case, accents and punctuation. */

/** A sign of a script without spaces is a word. */
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu;

/** Returns the words of a text, each once, in the order of their first use. */
export function listWords(text: string): readonly string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return [...new Set(plain.match(word) ?? [])];
}

/** Whether a word may number or name something, so that another one is something else. */
export function hasDigit(word: string): boolean {
  return /\p{N}/u.test(word);
}

/** Equal, or forms of one word: `price` and `prices`. */
export function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 4 && long.length - short.length <= 2 && long.startsWith(short) && !hasDigit(long);
}
