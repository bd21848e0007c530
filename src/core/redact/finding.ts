/**
 * What a finder returns, and the text it is given. Whatever is found is blanked out, at its length, before the next
 * finder looks: places stay those of the text, nothing is found twice, and a mark that stood in the text from the
 * start looks like what it once hid. That is why masking a masked text changes nothing.
 */

export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** What a finder may know beside the text. */
export interface FinderContext {
  /** The name of the field that the text is the value of, or ''. */
  readonly field: string;
  /** Further names of fields that hold secrets, as `plainName` writes them. */
  readonly names: ReadonlySet<string>;
}

/** Contract: linear in the text, never throws; findings in order, apart from one another, never empty. */
export type Finder = (text: string, scope: FinderContext) => readonly Finding[];

/** No character (Unicode keeps it free for such uses), so part of no word, number or address. */
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

/** In order, without those inside of another: a password can hold an address that was found first. */
export function selectOutermost(findings: readonly Finding[]): readonly Finding[] {
  const kept: Finding[] = [];
  for (const finding of [...findings].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (finding.start >= (kept.at(-1)?.end ?? 0)) kept.push(finding);
  }
  return kept;
}

/** All matches, each a finding: of the whole, or of a group if the pattern has the flag `d` and a group named `it`. */
export function findMatches(text: string, pattern: RegExp, kind: string): readonly Finding[] {
  const found: Finding[] = [];
  for (const match of text.matchAll(pattern)) {
    const [start, end] = match.indices?.groups?.it ?? [match.index, match.index + match[0].length];
    if (start < end && !text.slice(start, end).includes(blank)) found.push({ start, end, kind });
  }
  return found;
}

/** What stands before a place, at most so far, and not beyond something that is blanked out. */
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
 * Where the word that a run of characters begins with begins. In JSON inside of text a line break is written `\n`, in
 * an address a space `%20`: the letters of those are no part of what follows.
 */
export function getWordStart(text: string, start: number): number {
  const last = text[start - 1];
  if (last === '\\' && /[nrt]/.test(text[start] ?? '')) return start + 1;
  if (last === '%' && /^[0-9A-Fa-f]{2}/.test(text.slice(start, start + 2))) return start + 2;
  return start;
}
