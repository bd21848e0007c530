/**
 * The built-in tool `search_text`: which lines hold a text. Plain text and no pattern language: nothing to get wrong,
 * and nothing that runs for ever.
 */

import { z } from 'zod';
import { defineTool, type Tool } from '../../define/define-tool.js';
import { readable } from './input.js';
import { eachLine } from './lines.js';
import { findDirectory } from './near.js';
import type { Root } from './root.js';
import { hasExtension, walk } from './walk.js';

/** Characters of a line that are shown, around what was found. */
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
      'Finds the lines that hold a text, in all text files below a directory. Upper and lower case differ; the text is taken literally, it is no regular expression.',
    input: z.object({
      pattern: z
        .string()
        .min(1)
        .max(1_000)
        .refine((pattern) => !/[\r\n]/.test(pattern), 'lines are searched one by one: search for one line of it')
        .describe('The text to find, within one line'),
      directory: readable.default('.').describe('Where to look, from the top: "src". "." is the top'),
      extension: z.string().min(1).optional().describe('Only in files with this extension: "ts"'),
      limit: z.int().min(1).max(1_000).default(50).describe('How many lines to give back at most'),
    }),
    returns: 'An array of { path, line, text }; as many as `limit` may mean that there are more.',
    effects: 'read',
    run: async ({ pattern, directory, extension, limit }, { signal }) => {
      const from = await findDirectory(root, directory, signal);
      const matches: Match[] = [];
      for await (const { real, path } of walk(root, from, signal)) {
        if (!hasExtension(path, extension)) continue;
        const see = (text: string, line: number) => {
          const at = text.indexOf(pattern);
          if (at !== -1) matches.push({ path, line, text: around(text, at, pattern.length) });
          return matches.length < limit;
        };
        // What the worker may not read is left out, as binary files are.
        await eachLine(real, signal, see).catch(() => signal.throwIfAborted());
        if (matches.length >= limit) break;
      }
      return matches;
    },
  });
}

/** The line, or of a long one the part around what was found, with nothing cut in the middle of a character. */
function around(line: string, at: number, length: number): string {
  if (line.length <= shownCharacters) return line;
  const spare = Math.max(0, shownCharacters - length) / 2;
  let from = Math.max(0, Math.floor(at - spare));
  let to = Math.min(line.length, Math.ceil(at + length + spare));
  if (splits(line, from)) from -= 1;
  if (splits(line, to)) to += 1;
  return `${from > 0 ? '…' : ''}${line.slice(from, to)}${to < line.length ? '…' : ''}`;
}

const splits = (text: string, at: number) => at > 0 && at < text.length && text.codePointAt(at - 1)! > 0xffff;
