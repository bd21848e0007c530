/**
 * Which labels of a reply are the model's own, and which stand in something that it quotes.
 *
 * Q1 In a block quotation (`>`) no label counts, unless the whole reply is one.
 * Q2 In a code fence labels count where the fence is around the whole reply, or follows the thought at once and begins with
 *    a label. A fence behind a colon is a quotation. Beside an action outside of fences, those inside are quotations.
 * Q3 An action in such a fence and an answer behind it, outside: it is not clear which one is meant, so neither counts.
 * Q4 In quotation marks within a line no label counts.
 *
 * A made-up observation ends a reply wherever it stands.
 */

import type { LabelKind, Tags } from './react-labels.js';

export interface QuotableMark {
  readonly kind: LabelKind;
  readonly start: number;
  /** Stands in a block quotation. */
  readonly quoted: boolean;
  /** Where the code fence was opened that it stands in, or -1. */
  readonly fence: number;
}

export interface Fence {
  readonly start: number;
  /** Where its first line ends. */
  readonly inside: number;
  readonly end: number;
}

export interface OwnMarks<M> {
  readonly marks: readonly M[];
  /** The text with blanks in place of what is quoted. */
  readonly visible: string;
  /** `quoted`: labels were left out. `unsure`: Q3. */
  readonly doubt: 'quoted' | 'unsure' | null;
}

export function ownMarks<M extends QuotableMark>(
  all: readonly M[],
  fences: readonly Fence[],
  text: string,
  tags: Tags,
): OwnMarks<M> {
  const lines = isQuotation(text) ? [] : quotedLines(text);
  const isOutside = (mark: M) => mark.fence < 0 && !(mark.quoted && lines.length > 0);
  const acts = all.some((mark) => mark.kind === 'action' && isOutside(mark));
  const own = acts ? [] : fences.filter((fence) => isOwn(fence, all, text));
  const isInOwn = (mark: M) => own.some(({ start }) => start === mark.fence);
  const fenced = all.find((mark) => mark.kind === 'action' && isInOwn(mark));
  const answer = all.find((mark) => mark.kind === 'answer' && isOutside(mark));
  const unsure = fenced !== undefined && answer !== undefined && answer.start > fenced.start;
  const counts = (mark: M) => {
    if (mark.kind === 'observation') return true;
    return isOutside(mark) ? !(unsure && mark.kind === 'answer') : isInOwn(mark) && !unsure;
  };
  const marks = all.filter(counts);
  const foreign = [...lines, ...fences.filter((fence) => !own.includes(fence) || unsure)];
  const { visible, found } = withoutSpans(blanked(text, foreign), tags);
  const left = found || all.some((mark) => !counts(mark) && mark.kind !== 'thought');
  return { marks, visible, doubt: unsure ? 'unsure' : left ? 'quoted' : null };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function isQuotation(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || /^\s*>/.test(line));
}

function quotedLines(text: string): readonly Range[] {
  return [...text.matchAll(/^[ \t]*>.*$/gm)].map(({ index, 0: line }) => ({ start: index, end: index + line.length }));
}

/** Q2. */
function isOwn(fence: Fence, marks: readonly QuotableMark[], text: string): boolean {
  const before = text.slice(0, fence.start).trimEnd();
  if (before === '') return true;
  const first = marks.find((mark) => mark.fence === fence.start);
  if (first === undefined || /[:：]["'”’*_]*$/.test(before.slice(-4))) return false;
  return text.slice(fence.inside, first.start).trim() === '';
}

function blanked(text: string, ranges: readonly Range[]): string {
  let out = '';
  let at = 0;
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    if (end <= at) continue;
    const from = Math.max(at, start);
    out += text.slice(at, from) + text.slice(from, end).replace(/[^\n]/g, ' ');
    at = end;
  }
  return out + text.slice(at);
}

/** Q4. */
function withoutSpans(text: string, tags: Tags): { readonly visible: string; readonly found: boolean } {
  const words = [...tags.spelled].flatMap(([tag, kind]) =>
    kind === 'action' || kind === 'answer' ? [tag.toLowerCase()] : [],
  );
  let found = false;
  const visible = text.replace(/"[^"\n]*"|“[^”\n]*”/g, (span) => {
    const lower = span.toLowerCase();
    if (!/[:：]/.test(span) || !words.some((word) => lower.includes(word))) return span;
    found = true;
    return ' '.repeat(span.length);
  });
  return { visible, found };
}
