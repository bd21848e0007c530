/** What a file says of itself: the comment at its head. */

export interface Head {
  readonly kind: 'comment' | 'line';
  /** On one line, without the marks of the comment. */
  readonly text: string;
}

/** The first paragraph of the first comment; where a file does not begin with one, its first line of code. */
export function headOf(source: string): Head {
  const text = source.replace(/^\uFEFF?(?:#!.*\n)?\s*/, '');
  const comment = blockComment(text) ?? lineComment(text);
  if (comment !== null && comment !== '') return { kind: 'comment', text: comment };
  return { kind: 'line', text: text.split('\n', 1)[0]?.trim() ?? '' };
}

/** One that is cut off counts as far as it goes. */
function blockComment(text: string): string | null {
  const body = /^\/\*\*?(.*?)(?:\*\/|$)/s.exec(text)?.[1];
  if (body === undefined) return null;
  return firstParagraph(body.split('\n').map((line) => line.replace(/^\s*\*? ?/, '')));
}

function lineComment(text: string): string | null {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !/^\s*\/\//.test(line));
  if (end === 0) return null;
  return firstParagraph(lines.slice(0, end < 0 ? undefined : end).map((line) => line.replace(/^\s*\/\/+ ?/, '')));
}

function firstParagraph(lines: readonly string[]): string {
  const [paragraph = ''] = lines
    .join('\n')
    .trim()
    .split(/\n\s*\n/);
  return paragraph.replace(/\s+/g, ' ').trim();
}
