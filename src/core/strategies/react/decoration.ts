/** Removes decoration from texts: rules, emphasis, and code fences without their other half. */

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
  const from = text.indexOf('\n', opening?.length ?? 0) + 1;
  for (const { index, 1: info = '' } of text.matchAll(/^[ \t]*(?:`{3,}|~{3,})[ \t]*(\S*)/gm)) {
    if (from === 0 || index < from) continue;
    if (info === '' && !inner) return text.slice(0, index);
    if (!info.includes('```')) inner = info !== '';
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

export function getFirstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
