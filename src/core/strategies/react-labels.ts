/**
 * Labels (`Thought:`, `**Action:**`, `### Final Answer`) at the start of a line. Compared as normalised
 * words, never through a pattern made of the configured tags, and only in the head of a line.
 */

import type { ReactOptions } from '../agent.js';

export type LabelKind = 'thought' | 'action' | 'input' | 'observation' | 'answer' | 'scratchpad';

export interface Label {
  readonly kind: LabelKind;
  /** How it is decorated: labels of one reply look alike, which tells them from words in an answer. */
  readonly style: string;
  /** An item of a list. */
  readonly listed: boolean;
  /** Written exactly as the tag is. */
  readonly exact: boolean;
  /** `Thoughts:`, `Observations:`: models write them, and so do authors of answers. */
  readonly plural: boolean;
  /** Where what is labelled begins, counted from the start of the line. */
  readonly rest: number;
  /** An emphasis that is closed at the end of the line, around label and text: `**Action: search**`. */
  readonly wrap: string;
}

export interface Tags {
  readonly written: Readonly<Record<LabelKind, string>>;
  readonly kinds: ReadonlyMap<string, LabelKind>;
}

export function tagsOf(options: ReactOptions): Tags {
  const written = {
    thought: options.thoughtTag,
    action: options.actionTag,
    input: `${options.actionTag} Input`,
    observation: options.observationTag,
    answer: 'Final Answer',
    scratchpad: 'Scratchpad',
  } as const;
  const kinds = new Map<string, LabelKind>();
  for (const [kind, tag] of Object.entries(written)) kinds.set(normal(tag), kind as LabelKind);
  return { written, kinds };
}

/** No label is found behind so many characters. */
const headLength = 120;
const before =
  /^(?:[\s>\u200B\uFEFF]|\uFE0F|[-+•▪◦–]\s|\*\s|\(?\d{1,3}[.)]\s?|#{1,6}(?!#)|\p{Extended_Pictographic})*/u;
const emphasis = /^[*_`[]*/;

export function labelAt(line: string, tags: Tags): Label | null {
  const head = line.slice(0, headLength);
  const lead = before.exec(head)?.[0] ?? '';
  const open = emphasis.exec(head.slice(lead.length))?.[0] ?? '';
  const from = lead.length + open.length;
  const colon = head.slice(from).search(/[:：]/);
  if (colon < 0) return withoutColon(line, lead, open, tags);
  const word = head.slice(from, from + colon);
  const plural = isPlural(word, tags);
  const kind = plural ?? kindOf(word, tags);
  if (kind === null) return null;
  const closed = open === '' || /[*_`\]]\s*$/.test(word);
  const behind = from + colon + 1;
  const rest = closed ? behind : behind + closingAt(line.slice(behind, behind + headLength), open);
  const wrap = !closed && rest === behind && line.trimEnd().endsWith(open) ? open : '';
  const exact = word.trim() === tags.written[kind];
  return {
    kind,
    style: styleOf(lead, open),
    listed: /[-+•▪◦–*\d]/.test(lead),
    exact,
    plural: plural !== null,
    rest,
    wrap,
  };
}

/** `### Action` and `**Action**` alone on their line; undecorated only what is no line of a thought. */
function withoutColon(line: string, lead: string, open: string, tags: Tags): Label | null {
  if (line.length > headLength) return null;
  const word = line.slice(lead.length + open.length);
  const kind = kindOf(word, tags);
  if (kind === null) return null;
  const alone = word.trim() === tags.written[kind] && bareKinds.includes(kind);
  const decorated = lead.includes('#') || (open !== '' && /[*_`\]]\s*$/.test(word));
  if (!alone && !decorated) return null;
  return {
    kind,
    style: styleOf(lead, open),
    listed: /[-+•▪◦–*\d]/.test(lead),
    exact: alone,
    plural: false,
    rest: line.length,
    wrap: '',
  };
}

const bareKinds: readonly LabelKind[] = ['answer', 'input', 'observation'];

function isPlural(word: string, tags: Tags): LabelKind | null {
  const plain = normal(word);
  const kind = plain.endsWith('s') && !tags.kinds.has(plain) ? tags.kinds.get(plain.slice(0, -1)) : undefined;
  return kind === 'thought' || kind === 'observation' ? kind : null;
}

function kindOf(word: string, tags: Tags): LabelKind | null {
  const plain = normal(word);
  if (plain === '') return null;
  // `Thought 2:`, `Action 1 Input:` and `Observation (search):` are the same labels.
  const bare = normal(word.replace(/\([^()]*\)/g, ''));
  return tags.kinds.get(plain) ?? tags.kinds.get(bare) ?? tags.kinds.get(bare.replace(/\d{1,3}/g, '')) ?? null;
}

function normal(word: string): string {
  return word.replace(/[\s*_`\-[\]#:：\u200B]|\uFE0F/gu, '').toLowerCase();
}

/** How much of the text behind the colon closes what was opened before the label: `**Thought:** …`. */
function closingAt(behind: string, open: string): number {
  const blank = behind.length - behind.trimStart().length;
  return behind.startsWith(open, blank) ? blank + open.length : 0;
}

function styleOf(lead: string, open: string): string {
  const marks = [/>/, /#/, /[-+•▪◦–*]/, /\d/].map((mark) => (mark.test(lead) ? '1' : '0')).join('');
  return marks === '0000' ? open : `${marks}${open}`;
}
