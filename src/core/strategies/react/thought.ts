/** Checks whether a thought has any content: rejects loops and empty phrases, not bad style. */

import { toWords } from '../../lib/index.js';

/** Sentences without content: a thought that consists only of these is empty. */
const hollowPatterns = [
  /^(?:i|we|let me|let us|lets|now)?(?: (?:will|should|must|can|need to|have to|want to|am going to|ll))?(?: now)?(?: just)? ?(?:use|call|invoke|run|execute|try)(?: (?:the|a|an|this|that|one of the|some|my|appropriate|right|correct|available))* (?:tools?|actions?|functions?)(?: (?:now|again|next))?$/,
  /^(?:i|we|let me|let us|lets|now)?(?: (?:will|should|must|need to|have to|am going to|ll))?(?: now)? ?(?:think|reason|act|proceed|continue|start|begin|take an action|do (?:it|this|that|something))(?: (?:now|about (?:it|this|that)|carefully|again|next|step by step))*$/,
  /^(?:ok|okay|thinking|hmm+|so|well|now|next|next step|yes|sure|none|n a|no thought)$/,
];

/** Characters that are examined: a loop starts early. */
const maxExaminedLength = 20_000;

/** Returns what is wrong with a thought, for a correction, or null. */
export function findThoughtProblem(thought: string | null, minLength: number): string | null {
  const text = thought?.trim() ?? '';
  if (text === '') return 'is missing';
  if (computeWeight(text) < minLength) return `is too short (at least ${minLength} characters)`;
  if (isDegenerate(text)) return 'only repeats itself or does not mention the task';
  return null;
}

/** Counts characters. A character that represents a word or a syllable counts as three letters. */
function computeWeight(text: string): number {
  const dense = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return [...text].length + 2 * dense;
}

/** The placeholder of the prompt's format, copied: `<your reasoning about what to do next>`. */
const templatePattern = /^<your\b[^<>]{0,200}>$/i;

export function isDegenerate(whole: string): boolean {
  const thought = whole.slice(0, maxExaminedLength);
  if (templatePattern.test(thought.trim())) return true;
  const text = toWords(thought);
  if (text === '') return true;
  if (computeRepetition(`${text} `) >= 3 || computeRepetition(text.replaceAll(' ', '')) >= 3) return true;
  const sentences = thought
    .split(/[.!?;\n。！？]+/)
    .map(toWords)
    .filter((sentence) => sentence !== '');
  if (sentences.every(isHollow)) return true;
  return isDominated(sentences, 3, 0.7) || isDominated(text.split(' '), 6, 0.6);
}

function isHollow(sentence: string): boolean {
  return sentence.length < 120 && hollowPatterns.some((pattern) => pattern.test(sentence));
}

/** Computes how often a text repeats its own start: `abcabcab` 2.67 times. Linear, by the failure function. */
function computeRepetition(text: string): number {
  const failure = new Array<number>(text.length).fill(0);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = failure[length - 1] ?? 0;
    if (text[at] === text[length]) length += 1;
    failure[at] = length;
  }
  return text.length === 0 ? 0 : text.length / (text.length - length);
}

/** Whether one value makes up most of the parts. */
function isDominated(parts: readonly string[], least: number, share: number): boolean {
  const counts = new Map<string, number>();
  let maxCount = 0;
  for (const part of parts) {
    const count = (counts.get(part) ?? 0) + 1;
    counts.set(part, count);
    maxCount = Math.max(maxCount, count);
  }
  return maxCount >= least && maxCount / parts.length >= share;
}
