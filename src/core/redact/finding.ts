/**
 * Findings, and the text that finders search. Each finding is blanked out at its length before the next finder runs:
 * positions remain those of the text, and nothing is found twice. Marks already in the text are blanked out too, so
 * masking a masked text changes nothing.
 */

export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** What a finder knows in addition to the text. */
export interface FinderContext {
  /** The name of the field whose value the text is, or ''. */
  readonly field: string;
  /** Further names of fields that hold secrets, as `toPlainName` returns them. */
  readonly names: ReadonlySet<string>;
}

/** Contract: linear in the text, never throws; findings are in order, do not overlap and are not empty. */
export type Finder = (text: string, scope: FinderContext) => readonly Finding[];

/** A Unicode noncharacter, so part of no word, number or address. */
export const blank = '\uFFFF';

export function blankOut(text: string, findings: readonly Finding[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of findings) {
    parts.push(text.slice(at, start), blank.repeat(end - start));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/** Sorts findings and drops those that begin within another: a password may contain an address found first. */
export function selectOutermost(findings: readonly Finding[]): readonly Finding[] {
  const outermost: Finding[] = [];
  for (const finding of [...findings].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (finding.start >= (outermost.at(-1)?.end ?? 0)) outermost.push(finding);
  }
  return outermost;
}

/** Returns each match as a finding: the group `it` if the pattern has it and the flag `d`, else the whole match. */
export function findMatches(text: string, pattern: RegExp, kind: string): readonly Finding[] {
  const findings: Finding[] = [];
  for (const match of text.matchAll(pattern)) {
    const [start, end] = match.indices?.groups?.it ?? [match.index, match.index + match[0].length];
    if (start < end && !text.slice(start, end).includes(blank)) findings.push({ start, end, kind });
  }
  return findings;
}

/** Returns the end of the match that begins at a position. @param pattern has the flag `y` */
export function findMatchEnd(text: string, pattern: RegExp, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

/** Returns the text before a position, at most `reach` characters, up to the nearest blank. */
export function getTextBefore(text: string, at: number, reach: number): string {
  const near = text.slice(Math.max(0, at - reach), at);
  return near.slice(near.lastIndexOf(blank) + 1);
}

export function getTextAfter(text: string, at: number, reach: number): string {
  const near = text.slice(at, at + reach);
  const end = near.indexOf(blank);
  return end < 0 ? near : near.slice(0, end);
}

const wordCharacter = /[A-Za-z0-9_]/;

export function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && wordCharacter.test(character);
}

/**
 * Returns where the word at the beginning of a run of characters begins. The letters of an escaped line break, `\n` in
 * JSON, or of a space, `%20` in a URL, are not part of the word.
 */
export function getWordStart(text: string, start: number): number {
  const last = text[start - 1];
  if (last === '\\' && /[nrt]/.test(text[start] ?? '')) return start + 1;
  if (last === '%' && /^[0-9A-Fa-f]{2}/.test(text.slice(start, start + 2))) return start + 2;
  return start;
}
