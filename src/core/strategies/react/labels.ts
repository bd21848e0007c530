/**
 * Finds a label (`Thought:`, `**Action:**`, `### Final Answer`) at the start of a line.
 *
 * Words are normalised and compared; no pattern is built from configured tags, and only the head of a line is examined.
 */

import type { ReactOptions } from '../../model/agent.js';
import { reactDefaults } from '../strategy.js';

export type LabelKind = 'thought' | 'action' | 'input' | 'observation' | 'answer' | 'scratchpad';

export interface Label {
  readonly kind: LabelKind;
  /** Its decoration: equal for all labels of one reply, unlike for words in an answer. */
  readonly style: string;
  /** An item of a list. */
  readonly listed: boolean;
  /** In a block quotation. */
  readonly quoted: boolean;
  /** Written exactly like the tag. */
  readonly exact: boolean;
  /** `Thoughts:`, `Observations:`, `Observation - 12`: may be a label, or part of an answer. */
  readonly loose: boolean;
  /** Offset of the labelled text in the line. */
  readonly rest: number;
  /** Emphasis around label and text, closed at the end of the line: `**Action: search**`. */
  readonly wrap: string;
}

export interface Tags {
  readonly written: Readonly<Record<LabelKind, string>>;
  /** Kinds by the exact tag. */
  readonly spelled: ReadonlyMap<string, LabelKind>;
  /** Kinds by the normalised tag. */
  readonly kinds: ReadonlyMap<string, LabelKind>;
}

/** Creates the tags: the configured ones, and the default ones, which models fall back to. */
export function createTags(options: ReactOptions): Tags {
  const written = toWrittenTags(options);
  const spelled = new Map<string, LabelKind>();
  for (const tags of [toWrittenTags(reactDefaults), written]) {
    for (const [kind, tag] of Object.entries(tags)) spelled.set(tag, kind as LabelKind);
  }
  return { written, spelled, kinds: new Map([...spelled].map(([tag, kind]) => [normalizeLabel(tag), kind])) };
}

function toWrittenTags({ thoughtTag, actionTag, observationTag }: ReactOptions): Tags['written'] {
  return {
    thought: thoughtTag,
    action: actionTag,
    input: `${actionTag} Input`,
    observation: observationTag,
    answer: 'Final Answer',
    scratchpad: 'Scratchpad',
  };
}

/** Characters at the start of a line that may contain a label. */
const headLength = 120;
const leadPattern =
  /^(?:[\s>\u200B\uFEFF]|\uFE0F|[-+•▪◦–]\s|\*\s|\(?\d{1,3}[.)]\s?|#{1,6}(?!#)|\p{Extended_Pictographic})*/u;
const emphasisPattern = /^[*_`[]*/;

export function findLabel(line: string, tags: Tags): Label | null {
  if (line === '') return null;
  const head = line.slice(0, headLength);
  const lead = leadPattern.exec(head)?.[0] ?? '';
  const open = emphasisPattern.exec(head.slice(lead.length))?.[0] ?? '';
  const from = lead.length + open.length;
  const colon = head.slice(from).search(/[:：]/);
  if (colon < 0) return findLabelWithoutColon(line, lead, open, tags);
  const word = head.slice(from, from + colon);
  const plural = findPluralKind(word, tags);
  const kind = plural ?? findLabelKind(word, tags);
  if (kind === null) return findLooseObservation(line, head.slice(from), lead, open, tags);
  const closed = open === '' || /[*_`\]]\s*$/.test(word);
  const behind = from + colon + 1;
  const rest = closed ? behind : behind + computeClosingLength(line.slice(behind, behind + headLength), open);
  const wrap = !closed && rest === behind && line.trimEnd().endsWith(open) ? open : '';
  const exact = tags.spelled.get(word.trim()) === kind;
  return {
    kind,
    style: toStyle(lead, open),
    listed: /[-+•▪◦–*\d]/.test(lead),
    quoted: lead.includes('>'),
    exact,
    loose: plural !== null,
    rest,
    wrap,
  };
}

/** Finds `### Action` or `**Action**` alone on its line; without decoration, only kinds that are not words of a thought. */
function findLabelWithoutColon(line: string, lead: string, open: string, tags: Tags): Label | null {
  const word = line.slice(lead.length + open.length, headLength);
  const kind = line.length > headLength ? null : findLabelKind(word, tags);
  if (kind === null) return findLooseObservation(line, word, lead, open, tags);
  const alone = tags.spelled.get(word.trim()) === kind && bareKinds.includes(kind);
  const decorated = lead.includes('#') || (open !== '' && /[*_`\]]\s*$/.test(word));
  if (!alone && !decorated) return findLooseObservation(line, word, lead, open, tags);
  return {
    kind,
    style: toStyle(lead, open),
    listed: /[-+•▪◦–*\d]/.test(lead),
    quoted: lead.includes('>'),
    exact: alone,
    loose: false,
    rest: line.length,
    wrap: '',
  };
}

/** Finds a made-up result: `Observation - 12`, `<observation> 12`, `### Observation 12`, `[Observation] 12`. */
function findLooseObservation(line: string, words: string, lead: string, open: string, tags: Tags): Label | null {
  const plain = words.replace(/^<\s?/, '');
  const isObservation = (end: number, wordIs: (word: string, tags: Tags) => LabelKind | null) =>
    end > 0 && wordIs(plain.slice(0, end), tags) === 'observation';
  const marked = plain.search(separatorPattern);
  const found =
    isObservation(marked, findLabelKind) ||
    isObservation(marked, findPluralKind) ||
    // "## Observations so far" is a heading of the model's own notes.
    (lead.includes('#') && isObservation(plain.search(/\s/), findLabelKind));
  if (!found) return null;
  const style = toStyle(lead, open);
  const quoted = lead.includes('>');
  return { kind: 'observation', style, listed: false, quoted, exact: false, loose: true, rest: line.length, wrap: '' };
}

/** Separators in place of the colon. A hyphen within a word is not one. */
const separatorPattern = /\s?(?:[-=]?>|=|→)|\s[-–—]|\]\s/;

const bareKinds: readonly LabelKind[] = ['answer', 'input', 'observation'];

function findPluralKind(word: string, tags: Tags): LabelKind | null {
  const plain = normalizeLabel(word);
  const kind = plain.endsWith('s') && !tags.kinds.has(plain) ? tags.kinds.get(plain.slice(0, -1)) : undefined;
  return kind === 'thought' || kind === 'observation' ? kind : null;
}

export function findLabelKind(word: string, tags: Tags): LabelKind | null {
  const plain = normalizeLabel(word);
  if (plain === '') return null;
  // `Thought 2:`, `Action 1 Input:` and `Observation (search):` are the same labels.
  const bare = normalizeLabel(word.replace(/\([^()]*\)/g, ''));
  return tags.kinds.get(plain) ?? tags.kinds.get(bare) ?? tags.kinds.get(bare.replace(/\d{1,3}/g, '')) ?? null;
}

export function normalizeLabel(word: string): string {
  return word.replace(/[\s*_`\-[\]#:：\u200B]|\uFE0F/gu, '').toLowerCase();
}

/** Returns the length of the closing emphasis after the colon: `**Thought:** …`. */
function computeClosingLength(behind: string, open: string): number {
  const blank = behind.length - behind.trimStart().length;
  return behind.startsWith(open, blank) ? blank + open.length : 0;
}

function toStyle(lead: string, open: string): string {
  const marks = [/>/, /#/, /[-+•▪◦–*]/, /\d/].map((mark) => (mark.test(lead) ? '1' : '0')).join('');
  return marks === '0000' ? open : `${marks}${open}`;
}
