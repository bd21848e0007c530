/**
 * Where an input ends that no bracket ends: before the code fence around it closes, and before a label in
 * its line, as in `Action Input: Paris Final Answer: 12`. Prose may hold the words of a label; it is one
 * with its colon behind it, and the plainer the word, the more has to show it.
 */

import { readLooseJson } from '../lib/loose-json.js';
import { isQuote } from '../lib/loose-quoted.js';
import { escaped } from './react-inline.js';
import { kindOf, type Tags } from './react-labels.js';
import type { Section } from './react-sections.js';
import { insideFence } from './react-text.js';

export interface InlineLabels {
  readonly tags: Tags;
  readonly pattern: RegExp;
}

/** Every repetition is bounded: matching at each place of a long text stays linear. */
export function inlineLabelsOf(tags: Tags): InlineLabels {
  const all = [...tags.spelled.keys()].map(escaped).join('|');
  const mark = '[*_`]{0,3}';
  const number = '(?:\\s?\\([^()\\n]{0,64}\\)|[ ]?\\d{1,3})?';
  const plain = `${mark}(?<plain>${all})${number}${mark}[ ]?[:：]${mark}`;
  return { tags, pattern: new RegExp(`(?<=^|[\\s。！？])(?:${plain}|<(?<tagged>${all})>)`, 'giu') };
}

/** The reply that an input stands in. */
interface Reply {
  readonly text: string;
  readonly labels: InlineLabels;
  /** The agent's tools: `Action:` within a line is a label before the name of one. */
  readonly tools: Pick<ReadonlySet<string>, 'has'>;
}

/** The part of an input, or of what an action brought, that is the tool's. */
export function bareInput(body: string, section: Section, reply: Reply): string {
  // Brackets and an own fence show where they end.
  if (/^\s*(?:(?:```|~~~)\w*\s*)?\{/.test(body.slice(0, 200))) return body;
  const own = insideFence(body, section.fenced);
  if (/^\s*(?:```|~~~)/.test(own.slice(0, 200))) return own;
  const end = labelIn(own, wholeLead(own), section, reply);
  return end < 0 ? own : own.slice(0, end);
}

/** `search(cats) Final Answer: 12`: an action before a label that follows a call in its line. */
export function callBefore(body: string, section: Section, reply: Reply): string {
  const line = body.trimStart().split('\n', 1)[0] ?? '';
  const from = body.indexOf(line);
  for (const found of line.matchAll(reply.labels.pattern)) {
    const closed = /[)\]]\s*$/.test(line.slice(Math.max(0, found.index - 10), found.index));
    if (closed && isLabel(found, line, section, reply)) return body.slice(0, from + found.index);
  }
  return body;
}

/** `Final Answer: 3 Observation: ok` in one line. An answer of several may be about observations. */
export function beforeObservation(body: string, { labels }: Reply): string {
  if (body.trim().includes('\n')) return body;
  for (const found of body.matchAll(labels.pattern)) {
    const said = body.slice(0, found.index);
    if (said.trim() !== '' && labels.tags.spelled.get(found.groups?.plain ?? '') === 'observation') return said;
  }
  return body;
}

/** Where a text in quotes or a list ends that an input begins with: labels in it are its own. */
function wholeLead(body: string): number {
  const from = body.length - body.trimStart().length;
  const first = body[from] ?? '';
  if (!isQuote(first) && first !== '[') return 0;
  const read = readLooseJson(body, from);
  return read.ok && /^(?:\s|$)/.test(body.slice(read.end, read.end + 1)) ? read.end : 0;
}

function labelIn(body: string, from: number, section: Section, reply: Reply): number {
  const { pattern } = reply.labels;
  const object = objectIn(body, from);
  pattern.lastIndex = from;
  for (let found = pattern.exec(body); found !== null; found = pattern.exec(body)) {
    const within = object !== null && object.from < found.index && found.index < object.end;
    if (!within && isLabel(found, body, section, reply)) return found.index;
  }
  return -1;
}

/** `The input is {"city": "Paris"}`: words in the object are no labels either. */
function objectIn(body: string, from: number): { readonly from: number; readonly end: number } | null {
  const open = body.indexOf('{', from);
  const read = open < 0 ? null : readLooseJson(body, open);
  return read?.ok ? { from: open, end: read.end } : null;
}

function isLabel(found: RegExpExecArray, body: string, section: Section, { labels, text, tools }: Reply): boolean {
  const { tags } = labels;
  const word = found.groups?.plain ?? found.groups?.tagged ?? '';
  const kind = kindOf(word, tags);
  if (found.groups?.tagged !== undefined) return kind === 'observation';
  const behind = body.slice(found.index + found[0].length, found.index + found[0].length + 200);
  const exact = tags.spelled.get(word) === kind;
  // `observation:code=1234` is what somebody looks for.
  if (!exact && !/^(?:\s|$)/.test(behind)) return false;
  switch (kind) {
    case 'observation':
    case 'answer':
    case 'input':
      return true;
    case 'action':
      return tools.has(/^\s*["'`*]{0,3}([\p{L}\p{N}_-]{1,128})/u.exec(behind)?.[1] ?? '');
    default: {
      // "a school of thought: the stoics" has no label, unless this reply writes its labels like that.
      const own = text.slice(section.start, section.body);
      return exact || word !== word.toLowerCase() || own === own.toLowerCase();
    }
  }
}
