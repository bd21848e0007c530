/**
 * Compares names of people. Names are stored as written and compared in normal form.
 *
 * 1. Names that look the same are one person: in a quorum, and where the requester may not decide. Different ASCII letters
 *    and digits count as different.
 * 2. Roles are compared exactly: an equal role gives a right, a lookalike of one must not.
 *
 * Unicode guarantees that NFKC and case folding of an assigned character never change. It guarantees no such thing for Script
 * and Default_Ignorable, which it corrects at times: Node versions may then disagree about a name with such a character, as
 * they do about one with a character that only one of them knows.
 */

/**
 * Returns whether two names are one person's. Null equals no name.
 *
 * Plain ASCII names are compared without case and otherwise exactly: `hal` and `hai`, or `user1` and `useri`, are two
 * people. So `aIice` and `alice` are two as well, because without case `I` is `i`. Only where one of the names has a lookalike
 * from another alphabet do `i`, `l`, `1` and `|` count as one letter, and `0` and `o`: the lookalike may imitate any of them.
 */
export function isSamePerson(a: string | null, b: string | null): boolean {
  if (a === null || b === null) return false;
  const [one, other] = [normalizeName(a), normalizeName(b)];
  if (one === other) return true;
  if (!hasLookalike(one) && !hasLookalike(other)) return false;
  return toLatin(one) === toLatin(other) || toLatin(normalizeCapitals(a)) === toLatin(normalizeCapitals(b));
}

/** Returns whether a name has no visible character. */
export function isNameless(name: string | null): boolean {
  return name === null || normalizeName(name) === '';
}

/** Returns whether a person has one of the wanted roles. */
export function hasRole(roles: readonly string[], neededRoles: readonly string[]): boolean {
  return neededRoles.some((role) => roles.includes(role));
}

/** Formats roles of which any one is enough. */
export function formatRoles(roles: readonly string[]): string {
  if (roles.length === 0) return 'no role';
  return roles.length === 1 ? `the role ${roles[0]}` : `one of the roles ${roles.join(', ')}`;
}

/** Normalizes case, composed accents, invisible characters and white space. */
function normalizeName(name: string): string {
  const plain = removeInvisible(name.normalize('NFKC')).toLowerCase().normalize('NFKC');
  return removeInvisible(plain).replace(/\s+/g, ' ').trim();
}

function hasLookalike(name: string): boolean {
  return [...name].some((letter) => lookalikes.has(letter));
}

/** Normalizes a name, with Greek capitals read as the Latin capitals that they look like. */
function normalizeCapitals(name: string): string {
  return normalizeName(name.normalize('NFKC').replace(/[ΗΝΥ]/g, (letter) => greekCapitals.get(letter) ?? letter));
}

/** Replaces letters that look alike by one of them. Expects a normalized name. */
function toLatin(name: string): string {
  return [...name]
    .map((letter) => lookalikes.get(letter) ?? letter)
    .map((letter) => asciiLookalikes.get(letter) ?? letter)
    .join('');
}

/** Removes control, format and filler characters. */
function removeInvisible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu, (character) =>
    /\s/u.test(character) ? ' ' : '',
  );
}

/**
 * Finds a word that mixes Latin letters with phonetic ones or with an alphabet that looks like Latin. No name is written
 * so, and the table of lookalikes below is not complete.
 *
 * @returns the word, or null
 */
export function findMixedWord(name: string): string | null {
  const words = removeInvisible(name.normalize('NFKC')).match(/[\p{L}\p{M}]+/gu) ?? [];
  return (
    words.find((word) => (/\p{Script=Latin}/u.test(word) && lookalikeAlphabets.test(word)) || isPhonetic(word)) ?? null
  );
}

/** Compares in lower case, because the capitals are in other ranges. */
function isPhonetic(word: string): boolean {
  return phoneticLetters.test(word.toLowerCase());
}

/**
 * Letters of clicks, of the International Phonetic Alphabet and of dialectology: `\u0261` for g, `\u0251` for a. The lookahead
 * exempts letters of Azerbaijani and of West African alphabets: names of people have them, and they look like no other.
 */
const phoneticLetters =
  /(?![\u0253\u0254\u0256\u0257\u0259\u025b\u0272])[\u01c0-\u01c3\u0250-\u02af\u1d00-\u1dbf\ua720-\ua7ff\uab30-\uab6f\u{1df00}-\u{1dfff}]/u;

/** Letters that are never in one word with Latin ones. Han, Kana, Hangul and Bopomofo can be. */
const lookalikeAlphabets =
  /[^\P{L}\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

/** Small letters of other alphabets that look like a Latin one, themselves or as capitals. */
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

/** A letter of another alphabet may imitate either: a Cyrillic \u0406 looks like a capital I and like a small l. */
const asciiLookalikes: ReadonlyMap<string, string> = new Map([
  ['i', 'l'],
  ['1', 'l'],
  ['|', 'l'],
  ['0', 'o'],
]);

/** Greek capitals that look like another Latin letter than their small letters do. */
const greekCapitals: ReadonlyMap<string, string> = new Map([
  ['Η', 'H'],
  ['Ν', 'N'],
  ['Υ', 'Y'],
]);
