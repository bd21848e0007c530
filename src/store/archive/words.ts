/**
 * The words that chains are found by: the same ones on both databases, of what is archived and of what is searched for.
 *
 * A word is letters and digits, without case and accents. Scripts that put no spaces between words are cut into pairs
 * of letters, which is how they are searched for too.
 */

/** Characters of a word: longer ones are digests and keys, by whose beginning they are found. */
const longestWord = 40;

/** @returns each word once, in the order in which they come; those of one character too */
export function wordsIn(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [found] of plain(text).matchAll(/[\p{L}\p{N}]+/gu)) {
    for (const word of unspaced.test(found) ? pairsIn(found) : [found]) words.add(word.slice(0, longestWord));
  }
  return words;
}

/** As a person writes them into a search: of each word the beginning is enough. */
export function wordsSought(text: string): readonly string[] {
  return [...wordsIn(text)].slice(0, mostSought);
}

const mostSought = 16;

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

function pairsIn(text: string): readonly string[] {
  const letters = [...text];
  if (letters.length < 2) return letters;
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}
