/** The text of a section without the marks that only separate it from the next. */

/** Without rules and emphasis alone on its first or last line, and fences that lack their other end. */
export function unmarked(text: string): string {
  const lines = text.trim().split('\n');
  const unpaired = fencesIn(text) % 2 === 1;
  const isMark = (line = '') =>
    /^\s*(?:[-*_]{2,}|#{1,6})\s*$/.test(line) || (unpaired && /^\s*[`~]{3,}\w*\s*$/.test(line));
  const from = isMark(lines[0]) ? 1 : 0;
  const to = isMark(lines.at(-1)) ? -1 : lines.length;
  return lines.slice(from, to).join('\n').trim();
}

function fencesIn(text: string): number {
  return text.match(/^[ \t]*(?:`{3,}|~{3,})/gm)?.length ?? 0;
}

/**
 * A text before the closing fence of the reply or the part of it that it stands in. A fence with a language
 * opens one of its own; one at its very end that nothing opened closes nothing either.
 */
export function insideFence(text: string, fenced: boolean): string {
  if (!fenced) return withoutStrayFence(text.trimEnd());
  // The only fence there is closes what was open before; the first of several was opened here.
  const opening = fencesIn(text) > 1 ? /^\s*(?:`{3,}|~{3,})[^\n]*/.exec(text)?.[0] : undefined;
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

function withoutStrayFence(text: string): string {
  if (fencesIn(text) % 2 === 1) return withoutLast(text, /^[ \t]*`{3,}$/);
  // The end of one part of the reply and the beginning of the next; as a block it would be empty.
  const two = /\n[ \t]*`{3,}[ \t]*\n\s{0,20}`{3,}$/.exec(text.slice(-tail));
  return two === null ? text : text.slice(0, text.length - two[0].length);
}

/** An answer as it is written, but for what separates it from a label or a fence around the reply. */
export function answerText(body: string): string {
  let text = withoutStrayFence(body.trim());
  if (/\n[ \t]*\n[^\n]*$/.test(text.slice(-tail))) text = withoutLast(text, /^[ \t]*(?:-{3,}|\*{3,}|_{3,})$/);
  return /[^\s*_`~#]/.test(text) ? text : '';
}

/** Longer lines separate nothing; a pattern that looks for the end of a text is kept to its tail. */
const tail = 80;

function withoutLast(text: string, mark: RegExp): string {
  const start = text.lastIndexOf('\n') + 1;
  const last = text.slice(start);
  return last.length <= tail && mark.test(last) ? text.slice(0, start).trimEnd() : text;
}

/** Without the opening of a code fence around the whole reply, whose end may have been cut off. */
export function unfenced(text: string): string {
  const open = /^\s*`{3,}[A-Za-z]*[ \t]*\n/.exec(text)?.[0];
  if (open === undefined || text.split('```').length % 2 === 1) return text;
  return text.slice(open.length);
}
