/** The text of a section without the marks that only separate it from the next. */

/** Without rules, fences and emphasis that stand alone on its first or last line. */
export function unmarked(text: string): string {
  const lines = text.trim().split('\n');
  const isMark = (line: string | undefined) =>
    line !== undefined && /^\s*(?:[`~]{3,}\w*|[-*_]{2,}|#{1,6})\s*$/.test(line);
  const from = isMark(lines[0]) ? 1 : 0;
  const to = isMark(lines.at(-1)) ? -1 : lines.length;
  return lines.slice(from, to).join('\n').trim();
}

/** An answer as it is written, but for the end of a fence that was opened before it. */
export function answerText(body: string): string {
  const text = body.trim();
  const fences = text.match(/^\s*`{3,}/gm)?.length ?? 0;
  const whole = fences % 2 === 1 ? text.replace(/\n?[ \t]*`{3,}$/, '').trimEnd() : text;
  return /[^\s*_`~#]/.test(whole) ? whole : '';
}

/** Without the opening of a code fence around the whole reply, whose end may have been cut off. */
export function unfenced(text: string): string {
  const open = /^\s*`{3,}[A-Za-z]*[ \t]*\n/.exec(text)?.[0];
  if (open === undefined || text.split('```').length % 2 === 1) return text;
  return text.slice(open.length);
}
