/**
 * Compares the goals of chains by their words, to reuse a plan. A plan that does not fit costs steps, and a plan that is not
 * found costs one model call: so in doubt, goals are different.
 *
 * G1 The similarity is the share of the words that both have, among the words of both. Case, accents, punctuation, white
 *    space, articles and polite words do not count.
 * G2 The words of one goal contain those of the other. A word in place of another one names something else: `in Rome`
 *    instead of `in Paris`, `archive` instead of `delete`.
 * G3 Words with digits, and words that restrict or negate, are in both or in none.
 * G4 Shared words have the same order: `from EUR to USD` is not `from USD to EUR`.
 */

import { hasDigit, isSameWord, listWords } from '../lib/words.js';

const fillers = new Set('a an the please kindly can could would will you we i me us'.split(' '));

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
  if (short.length === 0) return 0;
  let from = 0;
  const added: string[] = [];
  for (const word of short) {
    const at = long.findIndex((each, index) => index >= from && isSameWord(each, word));
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
  return listWords(goal.replace(/n['’]t\b/giu, ' not')).filter((word) => !fillers.has(word));
}

function sortBySize(a: readonly string[], b: readonly string[]): readonly [readonly string[], readonly string[]] {
  return a.length <= b.length ? [a, b] : [b, a];
}

function joinWhiteSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
