/**
 * Names of people, compared in one place. What is stored is what was said; what is compared is its normal form.
 *
 * 1. Two names that a reader cannot tell apart are one person: in a quorum, and where who asked may not decide.
 * 2. Roles are compared as they are written, since an equal role gives a right: a lookalike of one is none.
 *
 * Unicode keeps NFKC, case and scripts of assigned characters as they are for ever, so worker and reader agree whatever
 * Unicode their Node has, but for characters that one of the two does not know yet.
 */

/** Whether two names are one person's. Nobody is nobody else. */
export function isSamePerson(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && normalName(a) === normalName(b);
}

/** Whether a name says nothing that can be seen. */
export function isNameless(name: string | null): boolean {
  return name === null || normalName(name) === '';
}

/** Whether one of some roles is wanted. */
export function hasRole(roles: readonly string[], wanted: readonly string[]): boolean {
  return wanted.some((role) => roles.includes(role));
}

/** The form in which names are compared: without case, accents' spelling, invisible characters and lookalikes. */
export function normalName(name: string): string {
  const plain = visible(name.normalize('NFKC')).toLowerCase().normalize('NFKC');
  return [...visible(plain)]
    .map((letter) => lookalikes.get(letter) ?? letter)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Marks and fillers that take no room. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu, (character) =>
    /\s/u.test(character) ? ' ' : '',
  );
}

/**
 * A word in which Latin letters stand beside those of an alphabet that looks like it: no name is written so, and not every
 * lookalike is in the table below.
 *
 * @returns the word, or null
 */
export function mixedWord(name: string): string | null {
  const words = visible(name.normalize('NFKC')).match(/[\p{L}\p{M}]+/gu) ?? [];
  return words.find((word) => /\p{Script=Latin}/u.test(word) && besideLatin.test(word)) ?? null;
}

/** Letters that are not written in one word with Latin ones. Han, Kana, Hangul and Bopomofo are. */
const besideLatin =
  /[^\P{L}\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

/** Small letters and digits that look like a Latin letter, they or their capitals. */
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
    'lіιıӏ1|i',
    'mмμ',
    'nηпոռ',
    'oоοօ0',
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
