/** The built-in tool `list_files`: what there is to read, and how long it is. */

import { z } from 'zod';
import { defineTool, type Tool } from '../../define/define-tool.js';
import { readable } from './input.js';
import { eachLine } from './lines.js';
import { findDirectory } from './near.js';
import type { Root } from './root.js';
import { hasExtension, walk } from './walk.js';

interface Listed {
  readonly path: string;
  readonly lines: number;
  readonly bytes: number;
}

export function listFiles(root: Root): Tool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists the text files below a directory, with their numbers of lines and bytes. Use it to find out which files there are, or which are the longest.',
    input: z.object({
      directory: readable.default('.').describe('Where to look, from the top: "src". "." is the top'),
      extension: z.string().min(1).optional().describe('Only files with this extension: "ts"'),
      limit: z.int().min(1).max(5_000).default(200).describe('How many files to list at most'),
      sort: z.enum(['path', 'lines']).default('path').describe('"lines": the longest files first'),
    }),
    returns: 'An array of { path, lines, bytes }; as many as `limit` may mean that there are more.',
    effects: 'read',
    run: async ({ directory, extension, limit, sort }, { signal }) => {
      const from = await findDirectory(root, directory, signal);
      const listed: Listed[] = [];
      for await (const { real, path } of walk(root, from, signal)) {
        if (!hasExtension(path, extension)) continue;
        const size = await sizeOf(real, signal);
        if (size !== null) listed.push({ path, lines: size.lines, bytes: size.bytes });
        if (sort === 'path' && listed.length === limit) break;
      }
      // Stable: files of one length stay in the order of their paths.
      if (sort === 'lines') listed.sort((a, b) => b.lines - a.lines);
      return listed.slice(0, limit);
    },
  });
}

/** Null for what is no text, or not readable for the worker. */
async function sizeOf(real: string, signal: AbortSignal) {
  try {
    return await eachLine(real, signal, () => true);
  } catch {
    signal.throwIfAborted();
    return null;
  }
}
