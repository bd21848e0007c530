/**
 * Separates the model's own words from quotations, code fences and decoration.
 *
 * Q1 In a block quotation (`>`) no label counts, unless the whole reply is quoted.
 * Q2 In a code fence labels count if the fence encloses the whole reply, or follows the thought directly and begins with a
 *    label. A fence after a colon is a quotation. Next to an action outside of fences, all fences are quotations.
 * Q3 An action in such a fence and an answer after it, outside, are ambiguous: neither counts.
 * Q4 In quotation marks within a line no label counts.
 *
 * A made-up observation ends a reply wherever it occurs.
 */

import type { LabelKind, Tags } from './labels.js';

interface QuotableMark {
  readonly kind: LabelKind;
  readonly start: number;
  /** In a block quotation. */
  readonly quoted: boolean;
  /** Start of the code fence around it, or -1. */
  readonly fence: number;
}

export interface Fence {
  readonly start: number;
  /** End of its first line. */
  readonly inside: number;
  readonly end: number;
}

export interface OwnMarks<M> {
  readonly marks: readonly M[];
  /** The text with blanks in place of quotations. */
  readonly visible: string;
  /** `quoted`: labels were omitted. `unsure`: Q3. */
  readonly doubt: 'quoted' | 'unsure' | null;
}

export function selectOwnMarks<M extends QuotableMark>(
  all: readonly M[],
  fences: readonly Fence[],
  text: string,
  tags: Tags,
): OwnMarks<M> {
  const lines = isQuotation(text) ? [] : listQuotedLines(text);
  const isOutside = (mark: M) => mark.fence < 0 && !(mark.quoted && lines.length > 0);
  const acts = all.some((mark) => mark.kind === 'action' && isOutside(mark));
  const firsts = findFirstMarks(all);
  const own = new Set(acts ? [] : fences.filter((fence) => isOwnFence(fence, firsts.get(fence.start), text)));
  const ownStarts = new Set([...own].map(({ start }) => start));
  const isInOwn = (mark: M) => ownStarts.has(mark.fence);
  const fenced = all.find((mark) => mark.kind === 'action' && isInOwn(mark));
  const answer = all.find((mark) => mark.kind === 'answer' && isOutside(mark));
  const unsure = fenced !== undefined && answer !== undefined && answer.start > fenced.start;
  const counts = (mark: M) => {
    if (mark.kind === 'observation') return true;
    return isOutside(mark) ? !(unsure && mark.kind === 'answer') : isInOwn(mark) && !unsure;
  };
  const marks = all.filter(counts);
  const foreign = [...lines, ...fences.filter((fence) => !own.has(fence) || unsure)];
  const { visible, found } = blankQuotedSpans(blankRanges(text, foreign), tags);
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

function listQuotedLines(text: string): readonly Range[] {
  return [...text.matchAll(/^[ \t]*>.*$/gm)].map(({ index, 0: line }) => ({ start: index, end: index + line.length }));
}

/** Returns the first mark of each code fence, by the start of the fence. */
function findFirstMarks(marks: readonly QuotableMark[]): ReadonlyMap<number, QuotableMark> {
  const firsts = new Map<number, QuotableMark>();
  for (const mark of marks) if (!firsts.has(mark.fence)) firsts.set(mark.fence, mark);
  return firsts;
}

/** Q2. */
function isOwnFence(fence: Fence, first: QuotableMark | undefined, text: string): boolean {
  const before = text.slice(0, fence.start).trimEnd();
  if (before === '') return true;
  if (first === undefined || /[:：]["'”’*_]*$/.test(before.slice(-4))) return false;
  return text.slice(fence.inside, first.start).trim() === '';
}

function blankRanges(text: string, ranges: readonly Range[]): string {
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
function blankQuotedSpans(text: string, tags: Tags): { readonly visible: string; readonly found: boolean } {
  const words = [...tags.spelled].flatMap(([tag, kind]) =>
    kind === 'action' || kind === 'answer' ? [tag.toLowerCase()] : [],
  );
  let found = false;
  const blank = (span: string): string => {
    // Without its closing mark, the rest of the line is one span: searching again from each mark would not be linear.
    if (span.startsWith('“') && !span.endsWith('”')) return span.replace(/"[^"\n]*"/g, blank);
    const lower = span.toLowerCase();
    if (!/[:：]/.test(span) || !words.some((word) => lower.includes(word))) return span;
    found = true;
    return ' '.repeat(span.length);
  };
  const visible = text.replace(/"[^"\n]*"|“[^”\n]*”?/g, blank);
  return { visible, found };
}

/** Removes a rule, an emphasis or an unpaired fence from the first and the last line. */
export function removeMarks(text: string): string {
  const lines = text.trim().split('\n');
  const unpaired = countFences(text) % 2 === 1;
  const isMark = (line = '') =>
    /^\s*(?:[-*_]{2,}|#{1,6})\s*$/.test(line) || (unpaired && /^\s*[`~]{3,}\w*\s*$/.test(line));
  const from = isMark(lines[0]) ? 1 : 0;
  const to = isMark(lines.at(-1)) ? -1 : lines.length;
  return lines.slice(from, to).join('\n').trim();
}

function countFences(text: string): number {
  return text.match(/^[ \t]*(?:`{3,}|~{3,})/gm)?.length ?? 0;
}

/**
 * Cuts a text before the closing fence around it. A fence with a language opens a nested one; an unpaired fence at the very
 * end is removed.
 */
export function cutAtFenceEnd(text: string, fenced: boolean): string {
  if (!fenced) return removeStrayFence(text.trimEnd());
  // A single fence closes the one around the text; the first of several opens a nested one.
  const opening = countFences(text) > 1 ? /^\s*(?:`{3,}|~{3,})[^\n]*/.exec(text)?.[0] : undefined;
  let inner = opening !== undefined && !/[`~]{3}[^`~]+[`~]{3}/.test(opening);
  let at = text.indexOf('\n', opening?.length ?? 0) + 1;
  while (at > 0) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end);
    const mark = /^[ \t]*(?:`{3,}|~{3,})[ \t]*(\S*)/.exec(line)?.[1];
    if (mark === '' && !inner) return text.slice(0, at);
    if (mark === '') inner = false;
    else if (mark !== undefined && !mark.includes('```')) inner = true;
    at = end + 1;
  }
  return text;
}

function removeStrayFence(text: string): string {
  if (countFences(text) % 2 === 1) return removeLastLine(text, /^[ \t]*`{3,}$/);
  // The fences end one part of the reply and start the next: a block between them would be empty.
  const two = /\n[ \t]*`{3,}[ \t]*\n\s{0,20}`{3,}$/.exec(text.slice(-tailLength));
  return two === null ? text : text.slice(0, text.length - two[0].length);
}

/** Removes separators, and a fence around the reply, from an answer. */
export function cleanAnswer(body: string): string {
  let text = removeStrayFence(body.trim());
  if (/\n[ \t]*\n[^\n]*$/.test(text.slice(-tailLength))) text = removeLastLine(text, /^[ \t]*(?:-{3,}|\*{3,}|_{3,})$/);
  return /[^\s*_`~#]/.test(text) ? text : '';
}

/** Characters. Longer lines are not separators, and patterns for the end of a text search only its tail. */
const tailLength = 80;

function removeLastLine(text: string, mark: RegExp): string {
  const start = text.lastIndexOf('\n') + 1;
  const last = text.slice(start);
  return last.length <= tailLength && mark.test(last) ? text.slice(0, start).trimEnd() : text;
}

/** Removes the opening of a code fence around the whole reply, whose end may be cut off. */
export function removeOpeningFence(text: string): string {
  const open = /^\s*`{3,}[A-Za-z]*[ \t]*\n/.exec(text)?.[0];
  if (open === undefined || text.split('```').length % 2 === 1) return text;
  return text.slice(open.length);
}
