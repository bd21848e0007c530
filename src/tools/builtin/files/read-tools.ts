/**
 * The built-in tools `list_files`, `read_file` and `search_text`. The search takes plain text, not regular expressions:
 * a model makes no syntax errors in it, and no pattern runs for ever.
 */

import { z } from 'zod';
import { defineTool, type Tool, ToolError } from '../../define/index.js';
import { findDirectory, findFile, hasExtension, walkFiles } from './find-files.js';
import { readLines } from './read-lines.js';
import { describeErrorCode, pathSchema, type Root } from './root.js';

interface ListedFile {
  readonly path: string;
  readonly lines: number;
  readonly bytes: number;
}

export function listFiles(root: Root): Tool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists the text files below a directory, with their lines and bytes. Use it to learn which files exist, or which are the longest.',
    inputSchema: z.object({
      directory: pathSchema.default('.').describe('Where to look, from the top: "src". "." is the top'),
      extension: z.string().min(1).optional().describe('Only files with this extension: "ts"'),
      limit: z.int().min(1).max(5_000).default(200).describe('The most files to list'),
      sort: z.enum(['path', 'lines']).default('path').describe('"lines": the longest files first'),
    }),
    returns: 'An array of { path, lines, bytes }. If it has `limit` items, there may be more.',
    effects: 'read',
    local: true,
    kind: 'file_system',
    view: {
      response: '{length} files',
      summary: 'Listed {length} files',
      block: { as: 'table' },
    },
    execute: async ({ directory, extension, limit, sort }, { signal }) => {
      const from = await findDirectory(root, directory, signal);
      const listed: ListedFile[] = [];
      for await (const { real, path } of walkFiles(root, from, signal)) {
        if (!hasExtension(path, extension)) continue;
        const size = await findSize(real, signal);
        if (size !== null) listed.push({ path, lines: size.lines, bytes: size.bytes });
        if (sort === 'path' && listed.length === limit) break;
      }
      // Stable: files of equal length remain in the order of their paths.
      if (sort === 'lines') listed.sort((a, b) => b.lines - a.lines);
      return listed.slice(0, limit);
    },
  });
}

/** Null for a binary file, and for one that the worker may not read. */
async function findSize(real: string, signal: AbortSignal) {
  try {
    return await readLines(real, signal, () => true);
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** Characters that one call returns; `to` is the last line returned. */
const maxTextCharacters = 200_000;

export function readFile(root: Root): Tool {
  return defineTool({
    name: 'read_file',
    description: 'Reads lines of a text file. Read a long file in parts: the next part begins at `to` + 1.',
    inputSchema: z.object({
      path: pathSchema.describe('The file, from the top: "src/index.ts"'),
      from: z.int().min(1).default(1).describe('The first line to read, from 1'),
      lines: z.int().min(1).max(10_000).default(200).describe('The most lines to read'),
    }),
    returns: '{ path, from, to, of, bytes, text }: lines `from` to `to`. The file has `of` lines and `bytes` bytes.',
    effects: 'read',
    local: true,
    kind: 'file_system',
    view: {
      response: 'lines {from} to {to} of {of}',
      summary: 'Read {path} ({bytes} bytes)',
    },
    execute: async ({ path, from, lines }, { signal }) => {
      const file = await findFile(root, path, signal);
      const taken: string[] = [];
      let room = maxTextCharacters;
      const see = (line: string, number: number) => {
        if (number < from || number >= from + lines || room <= 0) return true;
        if (line.length > room && taken.length > 0) room = 0;
        else taken.push(cutLine(line, room));
        room -= line.length + 1;
        return true;
      };
      const size = await readLines(file.real, signal, see).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw new ToolError(`${file.shown} cannot be read (${describeErrorCode(cause)}). Choose another file.`, {
          cause,
        });
      });
      if (size === null) throw new ToolError(`${file.shown} is a binary file. Choose a text file.`);
      if (from > Math.max(1, size.lines)) {
        throw new ToolError(`${file.shown} has ${size.lines} lines: \`from\` must be 1 to ${size.lines}.`);
      }
      return {
        path: file.shown,
        from,
        to: from + taken.length - 1,
        of: size.lines,
        bytes: size.bytes,
        text: taken.join('\n'),
      };
    },
  });
}

/** Cuts a line, but not within a surrogate pair. */
function cutLine(line: string, room: number): string {
  if (line.length <= room) return line;
  const end = line.codePointAt(room - 1)! > 0xffff ? room - 1 : room;
  return `${line.slice(0, end)} [… the line continues …]`;
}

/** Characters of a line that are shown around the match. */
const shownCharacters = 300;

interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export function searchText(root: Root): Tool {
  return defineTool({
    name: 'search_text',
    description:
      'Finds the lines that contain a text, in all text files below a directory. The search is case-sensitive and literal, not a regular expression.',
    inputSchema: z.object({
      pattern: z
        .string()
        .min(1)
        .max(1_000)
        .refine((pattern) => !/[\r\n]/.test(pattern), 'must be within one line: search for one line of the text')
        .describe('The text to find, within one line'),
      directory: pathSchema.default('.').describe('Where to look, from the top: "src". "." is the top'),
      extension: z.string().min(1).optional().describe('Only in files with this extension: "ts"'),
      limit: z.int().min(1).max(1_000).default(50).describe('The most lines to return'),
    }),
    returns: 'An array of { path, line, text }. If it has `limit` items, there may be more.',
    effects: 'read',
    local: true,
    kind: 'file_system',
    view: {
      response: '{length} lines',
      summary: 'Found {length} lines',
      block: { as: 'table' },
    },
    execute: async ({ pattern, directory, extension, limit }, { signal }) => {
      const from = await findDirectory(root, directory, signal);
      const matches: Match[] = [];
      for await (const { real, path } of walkFiles(root, from, signal)) {
        if (!hasExtension(path, extension)) continue;
        const see = (text: string, line: number) => {
          const at = text.indexOf(pattern);
          if (at !== -1) matches.push({ path, line, text: excerptLine(text, at, pattern.length) });
          return matches.length < limit;
        };
        // Files that the worker may not read are skipped, like binary files.
        await readLines(real, signal, see).catch(() => signal.throwIfAborted());
        if (matches.length >= limit) break;
      }
      return matches;
    },
  });
}

/** Returns the line, or the part around the match if it is long, without cutting a surrogate pair. */
function excerptLine(line: string, at: number, length: number): string {
  if (line.length <= shownCharacters) return line;
  const spare = Math.max(0, shownCharacters - length) / 2;
  let from = Math.max(0, Math.floor(at - spare));
  let to = Math.min(line.length, Math.ceil(at + length + spare));
  if (splitsCharacter(line, from)) from -= 1;
  if (splitsCharacter(line, to)) to += 1;
  return `${from > 0 ? '…' : ''}${line.slice(from, to)}${to < line.length ? '…' : ''}`;
}

const splitsCharacter = (text: string, at: number) => at > 0 && at < text.length && text.codePointAt(at - 1)! > 0xffff;
