/**
 * The built-in tools `file_write` (writes a whole file) and `file_edit` (replaces a text that occurs once).
 *
 * A call is retried when its worker was lost, so both are idempotent: a file is written twice with the same text, and an edit
 * changes nothing if the new text is already present and the old one occurs only within it.
 */

import { z } from 'zod';
import { findFile, pathSchema, type Root } from '../../tools/builtin/index.js';
import { codeApprovals, defineTool, type Tool, ToolError } from '../../tools/define/index.js';
import { readTextFile, resolveTarget, writeTextFile } from './text-file.js';

export function fileWrite(root: Root): Tool {
  return defineTool({
    name: 'file_write',
    description:
      'Writes a whole text file. Creates the file or replaces its content. To change a part of a file, use file_edit.',
    inputSchema: z.object({
      path: pathSchema.describe('The file, relative to the top folder: "src/index.ts". Missing folders are created'),
      content: z.string().max(200_000).describe('The whole text of the file'),
    }),
    returns:
      '{ path, lines, bytes, wrote }: `wrote` is "new", "replaced", or "same" if the file already had this content.',
    effects: 'idempotent',
    kind: 'file_system',
    view: {
      response: '{wrote}, {lines} lines, {bytes} bytes',
      summary: 'Wrote {path} ({bytes} bytes)',
      block: { as: 'edit', place: 'path', after: 'content' },
    },
    approval: codeApprovals.file_write,
    execute: async ({ path, content }, { signal }) => {
      const target = await resolveTarget(root, path);
      const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
      const before = target.exists ? await readTextFile(target.real, target.shown).catch(() => null) : null;
      const result = { path: target.shown, lines, bytes: Buffer.byteLength(content) };
      if (before === content) return { ...result, wrote: 'same' };
      // An abandoned attempt must not overwrite later changes.
      signal.throwIfAborted();
      await writeTextFile(target, content);
      return { ...result, wrote: target.exists ? 'replaced' : 'new' };
    },
  });
}

/** Lines shown around a change. */
const contextLines = 3;

export function fileEdit(root: Root): Tool {
  return defineTool({
    name: 'file_edit',
    description:
      'Replaces a text that occurs exactly once in a file. Read the file first and copy the text exactly. Include enough surrounding lines to make it unique.',
    inputSchema: z
      .object({
        path: pathSchema.describe('The file, relative to the top folder: "src/index.ts"'),
        old: z.string().min(1).max(100_000).describe('The text to replace, exactly as in the file'),
        new: z.string().max(100_000).describe('The new text; "" deletes the old one'),
      })
      .refine(({ old, new: put }) => old !== put, 'old and new are equal: nothing would change'),
    returns: '{ path, changed, bytes, from, to, text }: the current lines `from` to `to` around the change.',
    effects: 'idempotent',
    kind: 'file_system',
    view: {
      response: 'lines {from} to {to}, {bytes} bytes',
      summary: 'Edited {path}, lines {from} to {to} ({bytes} bytes)',
      block: { as: 'edit', place: 'path', before: 'old', after: 'new' },
    },
    approval: codeApprovals.file_edit,
    execute: async ({ path, old, new: put }, { signal, attempt }) => {
      const { real, shown } = await findFile(root, path, signal);
      const content = await readTextFile(real, shown);
      const [wanted, instead] = content.includes('\r\n') ? [toCrlf(old), toCrlf(put)] : [old, put];
      const occurrences = findOccurrences(content, wanted);
      const there = instead === '' ? [] : findOccurrences(content, instead);
      const done = there.find(
        (from) => occurrences.length > 0 && occurrences.every((at) => isWithinReplacement(at, wanted, from, instead)),
      );
      if (done !== undefined) return { path: shown, changed: false, ...excerptAround(content, done, instead) };
      const [at] = occurrences;
      if (at === undefined && attempt > 1 && (instead === '' || there.length > 0)) {
        const note = 'Text not found: an earlier attempt of this call has probably replaced it.';
        return { path: shown, changed: false, note, ...excerptAround(content, there[0] ?? 0, instead) };
      }
      if (at === undefined) throw createNotFoundError(shown, content, { old, there });
      if (occurrences.length > 1) {
        const lines = occurrences.slice(0, 10).map((at) => countLinesTo(content, at));
        throw new ToolError(
          `${shown} has this text ${occurrences.length} times, in lines ${lines.join(', ')}. Include more surrounding lines in \`old\`.`,
        );
      }
      const changed = content.slice(0, at) + instead + content.slice(at + wanted.length);
      signal.throwIfAborted();
      await writeTextFile({ real, shown, exists: true }, changed);
      return { path: shown, changed: true, ...excerptAround(changed, at, instead) };
    },
  });
}

function isWithinReplacement(at: number, old: string, from: number, put: string): boolean {
  return from <= at && at + old.length <= from + put.length;
}

function createNotFoundError(
  place: string,
  content: string,
  { old, there }: { old: string; there: readonly number[] },
): ToolError {
  const [already] = there;
  const help =
    already === undefined
      ? describeNearestLines(content, old)
      : `The new text is already in line ${countLinesTo(content, already)}: the edit may be done.`;
  return new ToolError(`Text not found in ${place}. ${help}`);
}

function findOccurrences(content: string, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = content.indexOf(text); at !== -1; at = content.indexOf(text, at + 1)) places.push(at);
  return places;
}

function excerptAround(content: string, at: number, text: string) {
  const lines = content.split(/\r?\n/);
  const first = countLinesTo(content, at);
  const from = Math.max(1, first - contextLines);
  const to = Math.min(lines.length, first + text.split('\n').length - 1 + contextLines);
  return { bytes: Buffer.byteLength(content), from, to, text: lines.slice(from - 1, to).join('\n') };
}

const countLinesTo = (content: string, at: number) => content.slice(0, at).split('\n').length;

/** The model sees text without carriage returns; the file keeps its own. */
const toCrlf = (text: string) => text.replace(/\r?\n/g, '\r\n');

/** Lines of the missing text that are compared, and characters shown of a line. */
const maxComparedLines = 50;
const shownCharacters = 200;
/** Lines shown around the best match. */
const shownLines = 12;

/** Describes the lines of a file that are most similar to a missing text, with their numbers. */
function describeNearestLines(content: string, text: string): string {
  const lines = content.split('\n');
  const words = text.split('\n').map(normalizeSpace);
  const firstFilled = words.findIndex((line) => line !== '');
  if (firstFilled === -1) return 'Read the file and copy the text to replace exactly.';
  const best = findBestMatch(lines.map(normalizeSpace), words.slice(0, maxComparedLines));
  if (best.alike === 0) return 'No similar lines. Read the file and copy the text to replace exactly.';
  const from = Math.max(0, best.start);
  const excerpt = lines.slice(from, Math.min(from + words.length, best.start + shownLines));
  const spaces = best.alike === words.filter((line) => line !== '').length;
  const why = spaces ? 'Only spaces or line breaks differ from' : 'The most similar are';
  const numbered = excerpt.map((line, at) => `${from + at + 1}: ${line.replace(/\r$/, '').slice(0, shownCharacters)}`);
  return `${why} these lines. Copy the text to replace exactly, without the line numbers:\n${numbered.join('\n')}`;
}

/** Finds the place with the most consecutive lines of the missing text. */
function findBestMatch(lines: readonly string[], words: readonly string[]) {
  const at = new Map<string, number[]>();
  for (const [index, word] of words.entries()) if (hasLetters(word)) at.set(word, [...(at.get(word) ?? []), index]);
  const alike = new Map<number, number>();
  for (const [number, line] of lines.entries()) {
    for (const index of at.get(line) ?? []) alike.set(number - index, (alike.get(number - index) ?? 0) + 1);
  }
  let best = { start: 0, alike: 0 };
  for (const [start, found] of alike) if (found > best.alike) best = { start, alike: found };
  return best;
}

const normalizeSpace = (line: string) => line.replace(/\s+/g, ' ').trim();

/** Ignores lines such as a single brace, which occur everywhere. */
const hasLetters = (line: string) => /[\p{L}\p{N}]/u.test(line);
