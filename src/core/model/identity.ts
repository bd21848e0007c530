/**
 * Names of people, compared in one place. What is stored is what was said; what is compared is its normal form.
 *
 * 1. Two names that a reader cannot tell apart are one person: in a quorum, and where who asked may not decide. Different ASCII
 *    letters and digits count as told apart.
 * 2. Roles are compared as they are written, since an equal role gives a right: a lookalike of one is none.
 *
 * Unicode guarantees that NFKC and case folding of an assigned character never change. It guarantees no such thing for Script
 * and Default_Ignorable, which it corrects at times: Node versions may then disagree about a name with such a character, as
 * they do about one with a character that only one of them knows.
 */

/**
 * Whether two names are one person's. Nobody is nobody else.
 *
 * Plain ASCII names are compared without case and otherwise exactly: `hal` and `hai`, or `user1` and `useri`, are two
 * people. So `aIice` and `alice` are two as well, because without case `I` is `i`. Only where one of the names has a lookalike
 * from another alphabet do `i`, `l`, `1` and `|` count as one letter, and `0` and `o`: it may be meant for any of them.
 */
export function isSamePerson(a: string | null, b: string | null): boolean {
  if (a === null || b === null) return false;
  const [one, other] = [normalizeName(a), normalizeName(b)];
  if (one === other) return true;
  if (!hasLookalike(one) && !hasLookalike(other)) return false;
  return toLatin(one) === toLatin(other) || toLatin(normalizeCapitals(a)) === toLatin(normalizeCapitals(b));
}

/** Whether a name says nothing that can be seen. */
export function isNameless(name: string | null): boolean {
  return name === null || normalizeName(name) === '';
}

/** Whether one of some roles is wanted. */
export function hasRole(roles: readonly string[], wanted: readonly string[]): boolean {
  return wanted.some((role) => roles.includes(role));
}

/** The name without case, accents' spelling, invisible characters and doubled spaces. */
function normalizeName(name: string): string {
  const plain = removeInvisible(name.normalize('NFKC')).toLowerCase().normalize('NFKC');
  return removeInvisible(plain).replace(/\s+/g, ' ').trim();
}

function hasLookalike(name: string): boolean {
  return [...name].some((letter) => lookalikes.has(letter));
}

/** The normal name, with Greek capitals read as the Latin capitals that they look like. */
function normalizeCapitals(name: string): string {
  return normalizeName(name.normalize('NFKC').replace(/[ΗΝΥ]/g, (letter) => greekCapitals.get(letter) ?? letter));
}

/** A normal name with one letter for all those that look like it. */
function toLatin(name: string): string {
  return [...name]
    .map((letter) => lookalikes.get(letter) ?? letter)
    .map((letter) => asciiLookalikes.get(letter) ?? letter)
    .join('');
}

/** Marks and fillers that take no room. */
function removeInvisible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu, (character) =>
    /\s/u.test(character) ? ' ' : '',
  );
}

/**
 * A word in which Latin letters stand beside those of an alphabet that looks like it, or beside phonetic letters: no name is
 * written so, and not every lookalike is in the table below.
 *
 * @returns the word, or null
 */
export function findMixedWord(name: string): string | null {
  const words = removeInvisible(name.normalize('NFKC')).match(/[\p{L}\p{M}]+/gu) ?? [];
  return (
    words.find((word) => (/\p{Script=Latin}/u.test(word) && lookalikeAlphabets.test(word)) || isPhonetic(word)) ?? null
  );
}

/** In lower case, because their capitals are in other ranges. */
function isPhonetic(word: string): boolean {
  return phoneticLetters.test(word.toLowerCase());
}

/**
 * Letters of clicks, of the International Phonetic Alphabet and of dialectology: `\u0261` for g, `\u0251` for a. The lookahead
 * exempts letters of Azerbaijani and of West African alphabets, which people's names have and which look like no other.
 */
const phoneticLetters =
  /(?![\u0253\u0254\u0256\u0257\u0259\u025b\u0272])[\u01c0-\u01c3\u0250-\u02af\u1d00-\u1dbf\ua720-\ua7ff\uab30-\uab6f\u{1df00}-\u{1dfff}]/u;

/** Letters that are not written in one word with Latin ones. Han, Kana, Hangul and Bopomofo are. */
const lookalikeAlphabets =
  /[^\P{L}\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

/** Small letters of other alphabets that look like a Latin one, they or their capitals. */
const lookalikes: ReadonlyMap<string, string> = new Map(
  [
    'aаα',
    'bвβ',
    'cсϲ',
    'dԁ',
    'eеεҽ',
    'gց',
    'hнһհ',
    'jјϳ',
    'kкκ',
    'lіιıӏ',
    'mмμ',
    'nηпոռ',
    'oоοօ',
    'pрρ',
    'qԛզ',
    'rг',
    'sѕ',
    'tтτ',
    'uυսц',
    'vνѵ',
    'wԝωա',
    'xхχ',
    'yуγү',
    'zζ',
  ].flatMap(([latin = '', ...others]) => others.map((other) => [other, latin] as const)),
);

/** A letter of another alphabet may be meant for either: a Cyrillic \u0406 looks like a capital I and like a small l. */
const asciiLookalikes: ReadonlyMap<string, string> = new Map([
  ['i', 'l'],
  ['1', 'l'],
  ['|', 'l'],
  ['0', 'o'],
]);

/** Greek capitals whose small letters look like other Latin letters than they do. */
const greekCapitals: ReadonlyMap<string, string> = new Map([
  ['Η', 'H'],
  ['Ν', 'N'],
  ['Υ', 'Y'],
]);
