/**
 * Cuts the texts of sections before labels in the middle of a line.
 *
 * An input without brackets, `Action Input: Paris Final Answer: 12`, ends before the label, or before the code fence around it
 * closes. The more common the word, the more evidence a label needs.
 */

import { isQuote, readFirstObject, readLooseJson } from '../../lib/index.js';
import type { ParseContext } from './context.js';
import { cutAtFenceEnd, getFirstLine } from './decoration.js';
import { findLabelKind } from './format.js';
import type { Section } from './sections.js';

/** Cuts an input, or the inline arguments of an action, before the next label. */
export function trimInput(body: string, section: Section, rules: ParseContext): string {
  // A bracket or a separate fence marks its own end.
  if (/^\s*(?:(?:```|~~~)\w*\s*)?\{/.test(body.slice(0, 200))) return body;
  const own = cutAtFenceEnd(body, section.fenced);
  if (/^\s*(?:```|~~~)/.test(own.slice(0, 200))) return own;
  const from = findLeadEnd(own);
  // Labels in the object of `The input is {"city": "Paris"}` do not count.
  const object = readFirstObject(own, from);
  const isInside = (at: number) => at < from || (object !== null && object.start < at && at < object.end);
  return cutAtLabel(own, rules, (match) => !isInside(match.index) && isLabel(match, own, section, rules));
}

/** Cuts an action before a label that follows a call on its line: `search(cats) Final Answer: 12`. */
export function cutAfterCall(body: string, section: Section, rules: ParseContext): string {
  const line = getFirstLine(body.trimStart());
  const isAfterCall = (at: number) => /[)\]]\s*$/.test(line.slice(Math.max(0, at - 10), at));
  const own = cutAtLabel(line, rules, (match) => isAfterCall(match.index) && isLabel(match, line, section, rules));
  return own === line ? body : body.slice(0, body.indexOf(line)) + own;
}

/** Cuts `Final Answer: 3 Observation: ok` on one line. An answer of several lines may be about observations. */
export function cutAtInlineObservation(body: string, rules: ParseContext): string {
  if (body.trim().includes('\n')) return body;
  const isObservation = (word = '') => rules.format.spelled.get(word) === 'observation';
  const isEmpty = (at: number) => body.slice(0, at).trim() === '';
  return cutAtLabel(body, rules, ({ groups, index }) => isObservation(groups?.plain) && !isEmpty(index));
}

function cutAtLabel(text: string, { format }: ParseContext, counts: (match: RegExpExecArray) => boolean): string {
  for (const match of text.matchAll(format.patterns.any)) if (counts(match)) return text.slice(0, match.index);
  return text;
}

/** Returns the end of a quoted text or list at the start of an input: labels in it do not count. */
function findLeadEnd(body: string): number {
  const from = body.length - body.trimStart().length;
  const first = body[from] ?? '';
  if (!isQuote(first) && first !== '[') return 0;
  const read = readLooseJson(body, from);
  return read.ok && /^(?:\s|$)/.test(body.slice(read.end, read.end + 1)) ? read.end : 0;
}

function isLabel(match: RegExpExecArray, body: string, section: Section, rules: ParseContext): boolean {
  const { format, text, tools } = rules;
  const word = match.groups?.plain ?? match.groups?.tagged ?? '';
  const kind = findLabelKind(word, format);
  if (match.groups?.tagged !== undefined) return kind === 'observation';
  const behind = body.slice(match.index + match[0].length, match.index + match[0].length + 200);
  const exact = format.spelled.get(word) === kind;
  // `observation:code=1234` may be a search term.
  if (!exact && !/^(?:\s|$)/.test(behind)) return false;
  switch (kind) {
    case 'observation':
    case 'answer':
    case 'failure':
    case 'input':
      return true;
    case 'action':
      return tools.has(/^\s*["'`*]{0,3}([\p{L}\p{N}_-]{1,128})/u.exec(behind)?.[1] ?? '');
    default: {
      // "a school of thought: the stoics" has no label, unless this reply writes labels in lower case.
      const own = text.slice(section.start, section.body);
      return exact || word !== word.toLowerCase() || own === own.toLowerCase();
    }
  }
}
