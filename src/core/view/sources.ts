/**
 * The results that an answer is based on, as far as its text shows it: those that it cites, else those that it repeats.
 *
 * A model may know more than it repeats, so an answer without sources is not unfounded; and two results may contain the same.
 */

import { type Json, toValueText } from '../lib/index.js';
import { type Call, hasResult, type Step } from '../model/index.js';

/** `cited`: the answer names the call. `repeated`: it contains distinctive words or numbers of the result. */
export interface ResultSource {
  /** Id of the result: `3.1r`. */
  readonly id: string;
  readonly by: 'cited' | 'repeated';
}

/** @param steps the steps before the answer */
export function listSources(answer: Json, task: string, steps: readonly Step[]): readonly ResultSource[] {
  const text = toValueText(answer);
  const calls = steps.flatMap((step) => step.calls).filter(({ status }) => hasResult(status));
  const cited = listCitedCalls(text);
  const citedCalls = calls.filter(({ id }) => cited.has(id));
  if (citedCalls.length > 0) return citedCalls.map(({ id }) => ({ id: `${id}r`, by: 'cited' }));
  const newPhrases = listNewPhrases(text, task);
  if (newPhrases.length === 0) return [];
  return takeNewest(calls)
    .filter(({ observation }) => {
      const line = toWordLine(toValueText(observation));
      return newPhrases.some((phrase) => line.includes(phrase));
    })
    .map(({ id }) => ({ id: `${id}r`, by: 'repeated' }));
}

/**
 * Whether the sources of an answer may include results of earlier steps than these.
 *
 * @param steps the last steps before the answer
 */
export function needsEarlierResults(answer: Json, task: string, steps: readonly Step[]): boolean {
  const text = toValueText(answer);
  const calls = steps.flatMap((step) => step.calls).filter(({ status }) => hasResult(status));
  const cited = listCitedCalls(text);
  if (cited.size > 0) return [...cited].some((id) => !calls.some((call) => call.id === id));
  const characters = calls.reduce((sum, { observation }) => sum + toValueText(observation).length, 0);
  return characters <= maxComparedCharacters && listNewPhrases(text, task).length > 0;
}

/** Ids such as `3.1` behind "call", "result", "step" or an opening bracket: a bare 3.1 is a number. */
const citation = /(?:\b(?:calls?|results?|steps?|sources?)\s+|[[(])(\d+\.\d+)r?(?![\d%])/gi;

function listCitedCalls(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(citation), ([, id]) => id ?? ''));
}

/** Words in a row that two texts hardly share by chance. */
export const phraseLength = 4;
/** Characters of a short answer, and digits of a number, that two texts hardly share by chance. */
const minShortLength = 5;
const minDigits = 3;
/** Phrases of a long answer that are looked for. */
export const maxPhrases = 200;

/** Returns the phrases that the task does not contain. */
function listNewPhrases(text: string, task: string): readonly string[] {
  const wordLine = toWordLine(task);
  return listPhrases(text).filter((phrase) => !wordLine.includes(phrase));
}

/** Returns runs of words, and words with several digits, each between spaces. A text of few words is one phrase. */
export function listPhrases(text: string): readonly string[] {
  const line = toWordLine(text);
  const words = line.split(' ').filter((word) => word !== '');
  const numbers = words.filter((word) => (word.match(/\p{N}/gu)?.length ?? 0) >= minDigits);
  const runs = words.slice(phraseLength - 1).map((_, at) => words.slice(at, at + phraseLength).join(' '));
  const short = words.length < phraseLength && line.trim().length >= minShortLength ? [words.join(' ')] : [];
  return [...numbers, ...short, ...runs].slice(0, maxPhrases).map((phrase) => ` ${phrase} `);
}

/** Returns the words of a text without case and punctuation, between spaces: `1,247` is ` 1247 `. */
export function toWordLine(text: string): string {
  const words = text.toLowerCase().match(/\p{N}[\p{N}.,]*\p{N}|[\p{L}\p{N}]+/gu) ?? [];
  return ` ${words.map((word) => word.replaceAll(',', '')).join(' ')} `;
}

/** Characters of results that are compared. Of a long chain, the newest ones. */
export const maxComparedCharacters = 500_000;

function takeNewest(calls: readonly Call[]): readonly Call[] {
  let room = maxComparedCharacters;
  const first = calls.findLastIndex(({ observation }) => {
    room -= toValueText(observation).length;
    return room < 0;
  });
  return calls.slice(first + 1);
}
