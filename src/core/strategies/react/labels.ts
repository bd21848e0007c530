/**
 * Finds a label (`Thought:`, `**Action:**`, `### Final Answer`) at the start of a line.
 *
 * Words are normalised and compared; no pattern is built from configured tags, and only the head of a line is examined.
 */

import {
  bareKinds,
  emphasisPattern,
  type Format,
  findLabelKind,
  findPluralKind,
  type LabelKind,
  leadPattern,
  separatorPattern,
} from './format.js';

export interface Label {
  readonly kind: LabelKind;
  /** Its decoration: equal for all labels of one reply, unlike for words in an answer. */
  readonly style: string;
  /** Written exactly like the tag. */
  readonly exact: boolean;
  /** `Thoughts:`, `Observations:`, `Observation - 12`: may be a label, or part of an answer. */
  readonly loose: boolean;
  /** Offset of the labelled text in the line. */
  readonly rest: number;
  /** Emphasis around label and text, closed at the end of the line: `**Action: search**`. */
  readonly wrap: string;
}

/** Whether a label is an item of a list. */
export function isListed({ style }: Label): boolean {
  return /[-1]/.test(style);
}

/** Whether a label is in a block quotation. */
export function isQuoted({ style }: Label): boolean {
  return style.includes('>');
}

/** Characters at the start of a line that may contain a label. */
const headLength = 120;

/** The head of a line: `lead`, `open` (the emphasis), `words`. */
interface Head {
  readonly line: string;
  readonly lead: string;
  readonly open: string;
  readonly words: string;
}

export function findLabel(line: string, format: Format): Label | null {
  if (line === '') return null;
  const text = line.slice(0, headLength);
  const lead = leadPattern.exec(text)?.[0] ?? '';
  const open = emphasisPattern.exec(text.slice(lead.length))?.[0] ?? '';
  const head: Head = { line, lead, open, words: text.slice(lead.length + open.length) };
  const colon = head.words.search(/[:：]/);
  const label = colon < 0 ? findLoneLabel(head, format) : findColonLabel(head, colon, format);
  if (label !== null) return { ...label, style: toStyle(head) };
  if (!isLooseObservation(head, format)) return null;
  return { kind: 'observation', style: toStyle(head), exact: false, loose: true, rest: line.length, wrap: '' };
}

type BareLabel = Omit<Label, 'style'>;

function findColonLabel({ line, lead, open, words }: Head, colon: number, format: Format): BareLabel | null {
  const word = words.slice(0, colon);
  const plural = findPluralKind(word, format);
  const kind = plural ?? findLabelKind(word, format);
  if (kind === null) return null;
  const behind = lead.length + open.length + colon + 1;
  const closing = isClosed(open, word) ? 0 : computeClosingLength(line.slice(behind, behind + headLength), open);
  const wrapped = !isClosed(open, word) && closing === 0 && line.trimEnd().endsWith(open);
  const exact = format.spelled.get(word.trim()) === kind;
  return { kind, exact, loose: plural !== null, rest: behind + closing, wrap: wrapped ? open : '' };
}

/** Finds `### Action` or `**Action**` alone on its line; without decoration, only kinds that are not words of a thought. */
function findLoneLabel({ line, lead, open, words }: Head, format: Format): BareLabel | null {
  const kind = line.length > headLength ? null : findLabelKind(words, format);
  if (kind === null) return null;
  const exact = format.spelled.get(words.trim()) === kind && bareKinds.includes(kind);
  const decorated = lead.includes('#') || (open !== '' && isClosed(open, words));
  return exact || decorated ? { kind, exact, loose: false, rest: line.length, wrap: '' } : null;
}

/** Whether the emphasis of a label, if it has one, is closed before the colon: `**Thought**: …`. */
function isClosed(open: string, word: string): boolean {
  return open === '' || /[*_`\]]\s*$/.test(word);
}

/** Returns the length of the closing emphasis after the colon: `**Thought:** …`. */
function computeClosingLength(behind: string, open: string): number {
  const blank = behind.length - behind.trimStart().length;
  return behind.startsWith(open, blank) ? blank + open.length : 0;
}

/** Whether a line has a made-up result: `Observation - 12`, `<observation> 12`, `### Observation 12`, `[Observation] 12`. */
function isLooseObservation({ lead, words }: Head, format: Format): boolean {
  const plain = words.replace(/^<\s?/, '');
  const isObservation = (end: number, find: typeof findLabelKind) =>
    end > 0 && find(plain.slice(0, end), format) === 'observation';
  const end = plain.search(separatorPattern);
  if (isObservation(end, findLabelKind) || isObservation(end, findPluralKind)) return true;
  // "## Observations so far" is a heading of the model's own notes.
  return lead.includes('#') && isObservation(plain.search(/\s/), findLabelKind);
}

/** Writes a decoration with one mark for each kind: a quotation, a heading, an item of a list, a number, and the emphasis. */
function toStyle({ lead, open }: Head): string {
  const marks = [/>/, /#/, /[-+•▪◦–*]/, /\d/].map((mark, at) => (mark.test(lead) ? '>#-1'[at] : ''));
  return marks.join('') + open;
}
