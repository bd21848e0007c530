/**
 * Finds labels in the middle of a line.
 *
 * In thoughts: `Thought: … Action: search Action Input: {…}` is split into sections. Prose may contain "the Action: of …",
 * so such a label counts only if its context allows no other reading. In inputs without brackets: `Action Input: Paris
 * Final Answer: 12` ends before the label, or before the code fence around it closes. The more common the word, the more
 * evidence a label needs.
 */

import { readLooseJson } from '../../lib/loose-json.js';
import { isQuote } from '../../lib/loose-text.js';
import { findLabelKind, type Tags } from './labels.js';
import { cutAtFenceEnd } from './quotes.js';
import type { Section } from './sections.js';

interface InlineSplit {
  /** End of the text before the label. */
  readonly cut: number;
  readonly parts: readonly Section[];
}

/**
 * Splits sections at labels inside their lines.
 *
 * @param visible the text without its quotations
 */
export function splitInlineLabels(
  text: string,
  visible: string,
  sections: readonly Section[],
  tags: Tags,
): readonly Section[] {
  const patterns = createPatterns(tags);
  const acts = sections.some(({ kind }) => kind === 'action' || kind === 'input');
  const answers = sections.some(({ kind }) => kind === 'answer');
  return sections.flatMap((section, index) => {
    const next = sections[index + 1];
    const found =
      section.kind === 'thought' || section.kind === 'preface'
        ? splitThought(visible, section, next, patterns, { acts, answers })
        : section.kind === 'action' && next?.kind !== 'input'
          ? splitAction(text, section, patterns)
          : null;
    return found === null ? [section] : [{ ...section, end: found.cut }, ...found.parts];
  });
}

interface Patterns {
  readonly action: RegExp;
  readonly input: RegExp;
  readonly inputAnywhere: RegExp;
  readonly answer: RegExp;
  /** "The final answer is: 12", "Final answer - 12": at the start of a sentence. */
  readonly answerSentence: RegExp;
}

/** Every repetition is bounded: matching at each place of a long text stays linear. */
function createPatterns(tags: Tags): Patterns {
  const mark = '[*_`]{0,3}';
  const label = (tag: string) => `${mark}${escapePattern(tag)}[ ]?\\d{0,3}${mark}[ ]?[:：]${mark}`;
  const input = label(tags.written.input);
  const name = `\\s{0,20}[\`"'*]{0,3}(?<name>[\\p{L}\\p{N}_.\\\\-]{1,128})[\`"'*,.]{0,3}`;
  return {
    action: new RegExp(`(?<=[\\s.!?;,)。])${label(tags.written.action)}${name}`, 'gu'),
    input: new RegExp(`\\s{0,20}${input}`, 'uy'),
    inputAnywhere: new RegExp(`(?<=[\\s.!?;,)\`"'*])${input}`, 'u'),
    answer: new RegExp(`(?<=(?:[.!?:。)"'*]|[Aa]nswer)\\s{1,3})${label(tags.written.answer)}`, 'u'),
    answerSentence: new RegExp(
      `(?<=(?:^|\\n)\\s{0,20}|[.!?。]\\s)${mark}(?:(?:so|thus|therefore|hence),? )?(?:(?:the|my) )?${escapePattern(tags.written.answer)}${mark}(?: is${mark}[ ]?[:：]|[ ]?[=]|[ ][-–—](?=\\s))${mark}`,
      'iu',
    ),
  };
}

function splitThought(
  text: string,
  section: Section,
  next: Section | undefined,
  patterns: Patterns,
  others: { readonly acts: boolean; readonly answers: boolean },
): InlineSplit | null {
  const body = text.slice(section.body, section.end);
  const at = section.body;
  for (const match of body.matchAll(patterns.action)) {
    const behind = match.index + match[0].length;
    const name = behind - (match[0].length - match[0].lastIndexOf(match.groups?.name ?? ''));
    patterns.input.lastIndex = behind;
    const input = patterns.input.exec(body)?.[0].length;
    const action = {
      kind: 'action',
      start: at + match.index,
      body: at + name,
      wrap: '',
      fenced: section.fenced,
    } as const;
    if (input !== undefined) {
      const start = at + behind;
      const given = {
        kind: 'input',
        start,
        body: start + input,
        end: section.end,
        wrap: '',
        fenced: section.fenced,
      } as const;
      return { cut: action.start, parts: [{ ...action, end: start }, given] };
    }
    const ends = body.slice(behind, behind + 200).trim() === '' && section.end - at - behind < 200;
    // Alone, it must start a sentence: "the required Action: none" is prose.
    const begins = !others.acts && /[.!?;)。]\s*$/.test(body.slice(Math.max(0, match.index - 10), match.index));
    const calls = begins && /^(?:\(|\[|\s?\{)/.test(body.slice(behind, behind + 2));
    if (calls || (ends && (begins || next?.kind === 'input'))) {
      return { cut: action.start, parts: [{ ...action, end: section.end }] };
    }
  }
  const answer =
    !others.acts && !others.answers ? (patterns.answer.exec(body) ?? patterns.answerSentence.exec(body)) : null;
  if (answer === null) return null;
  const start = at + answer.index;
  return {
    cut: start,
    parts: [
      { kind: 'answer', start, body: start + answer[0].length, end: section.end, wrap: '', fenced: section.fenced },
    ],
  };
}

function splitAction(text: string, section: Section, patterns: Patterns): InlineSplit | null {
  const line = text.slice(section.body, section.end).trimStart().split('\n', 1)[0] ?? '';
  const match = patterns.inputAnywhere.exec(line);
  if (match === null) return null;
  const start = text.indexOf(line, section.body) + match.index;
  const input = {
    kind: 'input',
    start,
    body: start + match[0].length,
    end: section.end,
    wrap: '',
    fenced: section.fenced,
  } as const;
  return { cut: start, parts: [input] };
}

/** Converts a tag to a pattern that matches its words apart or joined. */
function escapePattern(tag: string): string {
  return tag.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '[ _]?');
}

export interface InlineLabels {
  readonly tags: Tags;
  readonly pattern: RegExp;
}

/** Every repetition is bounded: matching at each place of a long text stays linear. */
export function createInlineLabels(tags: Tags): InlineLabels {
  const all = [...tags.spelled.keys()].map(escapePattern).join('|');
  const mark = '[*_`]{0,3}';
  const number = '(?:\\s?\\([^()\\n]{0,64}\\)|[ ]?\\d{1,3})?';
  const plain = `${mark}(?<plain>${all})${number}${mark}[ ]?[:：]${mark}`;
  return { tags, pattern: new RegExp(`(?<=^|[\\s。！？])(?:${plain}|<(?<tagged>${all})>)`, 'giu') };
}

/** The reply around an input. */
interface ReplyContext {
  readonly text: string;
  readonly labels: InlineLabels;
  /** The agent's tools: `Action:` within a line is a label before the name of one. */
  readonly tools: Pick<ReadonlySet<string>, 'has'>;
}

/** Cuts an input, or the inline arguments of an action, before the next label. */
export function trimInput(body: string, section: Section, reply: ReplyContext): string {
  // A bracket or a separate fence marks its own end.
  if (/^\s*(?:(?:```|~~~)\w*\s*)?\{/.test(body.slice(0, 200))) return body;
  const own = cutAtFenceEnd(body, section.fenced);
  if (/^\s*(?:```|~~~)/.test(own.slice(0, 200))) return own;
  const end = findInlineLabel(own, findLeadEnd(own), section, reply);
  return end < 0 ? own : own.slice(0, end);
}

/** Cuts an action before a label that follows a call on its line: `search(cats) Final Answer: 12`. */
export function cutAfterCall(body: string, section: Section, reply: ReplyContext): string {
  const line = body.trimStart().split('\n', 1)[0] ?? '';
  const from = body.indexOf(line);
  for (const found of line.matchAll(reply.labels.pattern)) {
    const closed = /[)\]]\s*$/.test(line.slice(Math.max(0, found.index - 10), found.index));
    if (closed && isLabel(found, line, section, reply)) return body.slice(0, from + found.index);
  }
  return body;
}

/** Cuts `Final Answer: 3 Observation: ok` on one line. An answer of several lines may be about observations. */
export function cutAtInlineObservation(body: string, { labels }: ReplyContext): string {
  if (body.trim().includes('\n')) return body;
  for (const found of body.matchAll(labels.pattern)) {
    if (labels.tags.spelled.get(found.groups?.plain ?? '') !== 'observation') continue;
    const own = body.slice(0, found.index);
    if (own.trim() !== '') return own;
  }
  return body;
}

/** Returns the end of a quoted text or list at the start of an input: labels in it do not count. */
function findLeadEnd(body: string): number {
  const from = body.length - body.trimStart().length;
  const first = body[from] ?? '';
  if (!isQuote(first) && first !== '[') return 0;
  const read = readLooseJson(body, from);
  return read.ok && /^(?:\s|$)/.test(body.slice(read.end, read.end + 1)) ? read.end : 0;
}

function findInlineLabel(body: string, from: number, section: Section, reply: ReplyContext): number {
  const { pattern } = reply.labels;
  const object = findObject(body, from);
  pattern.lastIndex = from;
  for (let found = pattern.exec(body); found !== null; found = pattern.exec(body)) {
    const within = object !== null && object.from < found.index && found.index < object.end;
    if (!within && isLabel(found, body, section, reply)) return found.index;
  }
  return -1;
}

/** Finds the object in `The input is {"city": "Paris"}`: labels in it do not count. */
function findObject(body: string, from: number): { readonly from: number; readonly end: number } | null {
  const open = body.indexOf('{', from);
  const read = open < 0 ? null : readLooseJson(body, open);
  return read?.ok ? { from: open, end: read.end } : null;
}

function isLabel(
  found: RegExpExecArray,
  body: string,
  section: Section,
  { labels, text, tools }: ReplyContext,
): boolean {
  const { tags } = labels;
  const word = found.groups?.plain ?? found.groups?.tagged ?? '';
  const kind = findLabelKind(word, tags);
  if (found.groups?.tagged !== undefined) return kind === 'observation';
  const behind = body.slice(found.index + found[0].length, found.index + found[0].length + 200);
  const exact = tags.spelled.get(word) === kind;
  // `observation:code=1234` may be a search term.
  if (!exact && !/^(?:\s|$)/.test(behind)) return false;
  switch (kind) {
    case 'observation':
    case 'answer':
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
