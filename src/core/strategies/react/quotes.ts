/**
 * Separates the model's own words from quotations and code fences.
 *
 * Q1 In a block quotation (`>`) no label counts, unless the whole reply is quoted.
 * Q2 In a code fence labels count if the fence encloses the whole reply, or follows the thought directly and begins with a
 *    label. A fence after a colon is a quotation. Next to an action outside of fences, all fences are quotations.
 * Q3 An action in such a fence and an answer after it, outside, are ambiguous: neither counts.
 * Q4 In quotation marks within a line no label counts.
 *
 * A made-up observation ends a reply wherever it occurs.
 */

import { type Format, isEnding } from './format.js';
import { isQuoted } from './labels.js';
import type { Fence, Token, Tokens } from './tokens.js';

export interface OwnTokens {
  readonly tokens: readonly Token[];
  /** The text with blanks in place of quotations. */
  readonly visible: string;
  /** `quoted`: labels were omitted. `unsure`: Q3. */
  readonly doubt: 'quoted' | 'unsure' | null;
}

export function selectOwnTokens({ tokens: all, fences }: Tokens, text: string, format: Format): OwnTokens {
  const lines = isQuotation(text) ? [] : listQuotedLines(text);
  const isOutside = (token: Token) => token.fence < 0 && !(isQuoted(token) && lines.length > 0);
  const acts = all.some((token) => token.kind === 'action' && isOutside(token));
  const firsts = findFirstTokens(all);
  const own = acts ? [] : fences.filter((fence) => isOwnFence(fence, firsts.get(fence.start), text));
  const ownStarts = new Set(own.map(({ start }) => start));
  const fenced = all.find((token) => token.kind === 'action' && ownStarts.has(token.fence));
  const answer = all.find((token) => isEnding(token.kind) && isOutside(token));
  const unsure = fenced !== undefined && answer !== undefined && answer.start > fenced.start;
  const counts = (token: Token) => {
    if (token.kind === 'observation') return true;
    return isOutside(token) ? !(unsure && isEnding(token.kind)) : ownStarts.has(token.fence) && !unsure;
  };
  const foreign = [...lines, ...fences.filter(({ start }) => unsure || !ownStarts.has(start))];
  const { visible, found } = blankQuotedSpans(blankRanges(text, foreign), format);
  const left = found || all.some((token) => !counts(token) && token.kind !== 'thought');
  return { tokens: all.filter(counts), visible, doubt: unsure ? 'unsure' : left ? 'quoted' : null };
}

type Range = Pick<Fence, 'start' | 'end'>;

function isQuotation(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || /^\s*>/.test(line));
}

function listQuotedLines(text: string): readonly Range[] {
  return [...text.matchAll(/^[ \t]*>.*$/gm)].map(({ index, 0: line }) => ({ start: index, end: index + line.length }));
}

/** Returns the first token of each code fence, by the start of the fence. */
function findFirstTokens(tokens: readonly Token[]): ReadonlyMap<number, Token> {
  return new Map([...tokens].reverse().map((token) => [token.fence, token]));
}

/** Q2. */
function isOwnFence(fence: Fence, first: Token | undefined, text: string): boolean {
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
function blankQuotedSpans(text: string, { spelled }: Format): { readonly visible: string; readonly found: boolean } {
  const words = [...spelled].flatMap(([tag, kind]) => (kind === 'action' || isEnding(kind) ? [tag.toLowerCase()] : []));
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
