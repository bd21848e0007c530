/**
 * Compares the goals of chains by their words, to reuse a plan. A plan that does not fit costs steps, and a plan that is not
 * found costs one model call: so in doubt, goals are different.
 *
 * G1 The similarity is the share of the words that both have, among the words of both. Case, accents, punctuation, white
 *    space, articles, polite words and the plural do not count.
 * G2 The words of one goal contain those of the other. A word in place of another one names something else: `in Rome`
 *    instead of `in Paris`, `archive` instead of `delete`.
 * G3 Words with digits, and words that restrict or negate, are in both or in none.
 * G4 Shared words have the same order: `from EUR to USD` is not `from USD to EUR`.
 * G5 Signs that calculate, compare, count or name are equal: `> 10` is not `< 10`, and `C` is not `C++`.
 */

import { hasDigit, listWords } from '../../lib/index.js';

const fillers = new Set('a an the please kindly can could would will you we i me us'.split(' '));

/** `variant A`, `the US`: a filler in capitals within a sentence is a name, which the digit marks for G3. */
const capitalFiller = /(?<=[^.!?:;\s]\s+)(?:A|US)\b/gu;

/** G5. A hyphen within a word does not count. */
const signs = /[<>=+*/%#$€£¥&|^~\\]|(?<![\p{L}\p{N}])-(?=\p{N})/gu;

/** G3. */
const restrictions = new Set(
  'not no never without except unless only but instead dry draft test stop undo revert nicht kein keine ohne nur ne pas sans sin solo'.split(
    ' ',
  ),
);

/** Characters of a goal that is compared. A longer one is similar only if it is equal. */
export const maxGoalLength = 8_000;

/** Returns the similarity of two goals: 1 if they have equal words, 0 if they are about something else. */
export function compareGoals(one: string, other: string): number {
  if (joinWhiteSpace(one) === joinWhiteSpace(other)) return 1;
  if (one.length > maxGoalLength || other.length > maxGoalLength) return 0;
  const [short, long] = sortBySize(listGoalWords(one), listGoalWords(other));
  if (short.length === 0 || listSigns(one) !== listSigns(other)) return 0;
  let from = 0;
  const added: string[] = [];
  for (const word of short) {
    const at = long.findIndex((other, index) => index >= from && isSameButNumber(other, word));
    // G2 and G4.
    if (at === -1) return 0;
    added.push(...long.slice(from, at));
    from = at + 1;
  }
  added.push(...long.slice(from));
  return added.some((word) => hasDigit(word) || restrictions.has(word)) ? 0 : short.length / long.length;
}

function listGoalWords(goal: string): readonly string[] {
  // `don't` is `do not`.
  const plain = goal.replace(/n['’]t\b/giu, ' not').replace(capitalFiller, '$&0');
  return listWords(plain).filter((word) => !fillers.has(word));
}

/** `price` and `prices`. Other endings name something else: Niger and Nigeria, form and format. */
function isSameButNumber(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 4 && !hasDigit(long) && (long === `${short}s` || long === `${short}es`);
}

function listSigns(goal: string): string {
  return (goal.match(signs) ?? []).join('');
}

function sortBySize(a: readonly string[], b: readonly string[]): readonly [readonly string[], readonly string[]] {
  return a.length <= b.length ? [a, b] : [b, a];
}

function joinWhiteSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
