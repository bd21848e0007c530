/**
 * The built-in tools `file_write` and `file_edit`: a file with just this text, and one text in a file in place of another
 * that stands there once.
 *
 * A call is made again when its worker was lost. A file that is written twice is the same file. An edit says what should be
 * rather than what to do: where the new text stands already, and the old one nowhere but within it, nothing is changed.
 */

import { z } from 'zod';
import { codeApprovals } from '../../tools/approval/approval.js';
import { findFile } from '../../tools/builtin/files/find-files.js';
import { pathSchema, type Root } from '../../tools/builtin/files/root.js';
import { defineTool, type Tool } from '../../tools/define/define-tool.js';
import { ToolError } from '../../tools/define/errors.js';
import { readTextFile, resolveTarget, writeTextFile } from './text-file.js';

export function fileWrite(root: Root): Tool {
  return defineTool({
    name: 'file_write',
    description:
      'Writes a whole text file: a new one, or in place of the one that is there. To change a part of a file use file_edit.',
    inputSchema: z.object({
      path: pathSchema.describe('The file, from the top: "src/index.ts". Folders on the way are made'),
      content: z.string().max(200_000).describe('All of its text'),
    }),
    returns: '{ path, lines, wrote }: `wrote` is "new", "replaced", or "same" where the file read so already.',
    effects: 'idempotent',
    approval: codeApprovals.file_write,
    execute: async ({ path, content }, { signal }) => {
      const target = await resolveTarget(root, path);
      const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
      const before = target.exists ? await readTextFile(target.real, target.shown).catch(() => null) : null;
      if (before === content) return { path: target.shown, lines, wrote: 'same' };
      // An attempt that was given up must not write over what came after it.
      signal.throwIfAborted();
      await writeTextFile(target, content);
      return { path: target.shown, lines, wrote: target.exists ? 'replaced' : 'new' };
    },
  });
}

/** Lines that are shown around what was changed. */
const contextLines = 3;

export function fileEdit(root: Root): Tool {
  return defineTool({
    name: 'file_edit',
    description:
      'Replaces a text in a file that stands there exactly once. Read the file first and copy the text as it stands; take in enough of the lines around it that there is no second one.',
    inputSchema: z
      .object({
        path: pathSchema.describe('The file, from the top: "src/index.ts"'),
        old: z.string().min(1).max(100_000).describe('The text to replace, as it stands in the file'),
        new: z.string().max(100_000).describe('The text that takes its place; "" takes the old one out'),
      })
      .refine(({ old, new: put }) => old !== put, 'old and new are the same: nothing would change'),
    returns: '{ path, changed, from, to, text }: lines `from` to `to` around the place, as they now read.',
    effects: 'idempotent',
    approval: codeApprovals.file_edit,
    execute: async ({ path, old, new: put }, { signal, attempt }) => {
      const { real, shown } = await findFile(root, path, signal);
      const content = await readTextFile(real, shown);
      const [wanted, instead] = content.includes('\r\n') ? [toCrlf(old), toCrlf(put)] : [old, put];
      const found = findOccurrences(content, wanted);
      const there = instead === '' ? [] : findOccurrences(content, instead);
      const done = there.find(
        (from) => found.length > 0 && found.every((at) => isWithinReplacement(at, wanted, from, instead)),
      );
      if (done !== undefined) return { path: shown, changed: false, ...excerptAround(content, done, instead) };
      const [at] = found;
      if (at === undefined && attempt > 1 && (instead === '' || there.length > 0)) {
        const note = 'The text is not there: most likely an earlier attempt at this call has replaced it.';
        return { path: shown, changed: false, note, ...excerptAround(content, there[0] ?? 0, instead) };
      }
      if (at === undefined) throw createNotFoundError(shown, content, { old, there });
      if (found.length > 1) {
        const lines = found.slice(0, 10).map((each) => countLinesTo(content, each));
        throw new ToolError(
          `${shown} has that text ${found.length} times, in lines ${lines.join(', ')}: take in more of the lines around the one that you mean.`,
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
  shown: string,
  content: string,
  { old, there }: { old: string; there: readonly number[] },
): ToolError {
  const [already] = there;
  const help =
    already === undefined
      ? describeNearestLines(content, old)
      : `What should take its place stands in line ${countLinesTo(content, already)} already: there may be nothing left to do.`;
  return new ToolError(`${shown} has no such text. ${help}`);
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
  return { from, to, text: lines.slice(from - 1, to).join('\n') };
}

const countLinesTo = (content: string, at: number) => content.slice(0, at).split('\n').length;

/** What the model reads has no carriage returns; the file keeps those that it has. */
const toCrlf = (text: string) => text.replace(/\r?\n/g, '\r\n');

/** Lines of the wanted text that are compared, and characters of a line that are shown. */
const maxComparedLines = 50;
const shownCharacters = 200;
/** Around what is near. */
const shownLines = 12;

/** The lines of a file that are most like a missing text: one sentence, and the lines with their numbers where there are some. */
function describeNearestLines(content: string, wanted: string): string {
  const lines = content.split('\n');
  const words = wanted.split('\n').map(normalizeSpace);
  const firstSaid = words.findIndex((line) => line !== '');
  if (firstSaid === -1) return 'Read the file, and write the text to replace as it stands there.';
  const best = findBestMatch(lines.map(normalizeSpace), words.slice(0, maxComparedLines));
  if (best.alike === 0) return 'Nothing in it is like that. Read the file, and write the text as it stands there.';
  const from = Math.max(0, best.start);
  const shown = lines.slice(from, Math.min(from + words.length, best.start + shownLines));
  const spaces = best.alike === words.filter((line) => line !== '').length;
  const why = spaces ? 'Only its spaces or line breaks differ from' : 'The nearest are';
  const numbered = shown.map((line, at) => `${from + at + 1}: ${line.replace(/\r$/, '').slice(0, shownCharacters)}`);
  return `${why} these lines; write the text to replace just as it stands there, without the numbers:\n${numbered.join('\n')}`;
}

/** Where the most lines of the wanted text stand, one below the other. */
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

/** A brace alone is everywhere. */
const hasLetters = (line: string) => /[\p{L}\p{N}]/u.test(line);
