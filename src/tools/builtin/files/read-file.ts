/** The built-in tool `read_file`: some lines of a file, and how many there are. */

import { z } from 'zod';
import { defineTool, type Tool } from '../../define/define-tool.js';
import { ToolError } from '../../define/errors.js';
import { readable } from './input.js';
import { eachLine } from './lines.js';
import { findFile } from './near.js';
import { codeOf, type Root } from './root.js';

/** Characters that one call gives back; `to` says where it ended. */
const mostText = 200_000;

export function readFile(root: Root): Tool {
  return defineTool({
    name: 'read_file',
    description: 'Reads lines of a text file. Read a long file in parts: the next one begins at `to` + 1.',
    input: z.object({
      path: readable.describe('The file, from the top: "src/index.ts"'),
      from: z.int().min(1).default(1).describe('The first line to read, from 1'),
      lines: z.int().min(1).max(10_000).default(200).describe('How many lines to read at most'),
    }),
    returns: '{ path, from, to, of, text }: lines `from` to `to` of the `of` that the file has.',
    effects: 'read',
    run: async ({ path, from, lines }, { signal }) => {
      const file = await findFile(root, path, signal);
      const taken: string[] = [];
      let room = mostText;
      const see = (line: string, number: number) => {
        if (number < from || number >= from + lines || room <= 0) return true;
        if (line.length > room && taken.length > 0) room = 0;
        else taken.push(cut(line, room));
        room -= line.length + 1;
        return true;
      };
      const size = await eachLine(file.real, signal, see).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw new ToolError(`${file.shown} cannot be read (${codeOf(cause)}): choose another file.`, { cause });
      });
      if (size === null)
        throw new ToolError(`${file.shown} is a binary file, which has no lines: choose another file.`);
      if (from > Math.max(1, size.lines)) {
        throw new ToolError(`${file.shown} has ${size.lines} lines: \`from\` must be 1 to ${size.lines}.`);
      }
      return { path: file.shown, from, to: from + taken.length - 1, of: size.lines, text: taken.join('\n') };
    },
  });
}

/** Not in the middle of a character. */
function cut(line: string, room: number): string {
  if (line.length <= room) return line;
  const end = line.codePointAt(room - 1)! > 0xffff ? room - 1 : room;
  return `${line.slice(0, end)} [… the line goes on …]`;
}
