/**
 * Finds the answer of a reply without any label: models that do not know the format answer so. A text that announces an
 * action is no answer, because the chain would end before its work: the model sees a correction instead.
 */

import { toWords } from '../../lib/plain-text.js';
import { isDegenerate } from './thought.js';

/** A sentence about what the model does next. `Let me know …` is the end of many answers. */
const announcement =
  /^(?:(?:ok|okay|so|first|next|now|then|to do (?:this|that|so)) )*(?:i (?:will|ll|must|should|shall|need|have to|want to|am going to|m going to|plan to)\b|let (?:me|us)\b(?! know)|lets\b)/;

/** Calls in the formats of other protocols, a JSON object, and the start of a code fence. */
const callPattern = /[<[|]\s*\/?(?:tool|function)|\{\s*["'}]|^\s*(?:`{3}|~{3})/i;

/** @param text a reply without labels */
export function findPlainAnswer(text: string, toolNames: Iterable<string>): string | null {
  const answer = text.trim();
  if (answer === '' || answer.endsWith(':') || callPattern.test(answer)) return null;
  for (const name of toolNames) if (mentionsTool(answer, name)) return null;
  if (/\p{L}/u.test(answer) && isDegenerate(answer)) return null;
  const sentences = answer
    .split(/[.!?;\n。！？]+/)
    .map(toWords)
    .filter((sentence) => sentence !== '');
  return [sentences[0], sentences.at(-1)].some((each) => announcement.test(each ?? '')) ? null : answer;
}

/** A name that is also a word, such as `search`, counts only where it is written as a name. */
function mentionsTool(text: string, name: string): boolean {
  const isWord = /^\p{L}+$/u.test(name);
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + name.length] ?? ' ';
    if (/[\p{L}\p{N}_-]/u.test(before) || /[\p{L}\p{N}_-]/u.test(after)) continue;
    if (!isWord || /["'`*]/.test(before) || after === '(') return true;
  }
  return false;
}
