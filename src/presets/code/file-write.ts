/**
 * The built-in tool `file_write`: a file with just this text. Written twice it is the same file, so a call that was lost
 * is made again by itself.
 */

import { z } from 'zod';
import { codeApprovals } from '../../tools/approval/code-approvals.js';
import { readable } from '../../tools/builtin/files/input.js';
import type { Root } from '../../tools/builtin/files/root.js';
import { defineTool, type Tool } from '../../tools/define/define-tool.js';
import { readWhole } from './read-whole.js';
import { targetOf } from './target.js';
import { writeWhole } from './write-whole.js';

export function fileWrite(root: Root): Tool {
  return defineTool({
    name: 'file_write',
    description:
      'Writes a whole text file: a new one, or in place of the one that is there. To change a part of a file use file_edit.',
    input: z.object({
      path: readable.describe('The file, from the top: "src/index.ts". Folders on the way are made'),
      content: z.string().max(200_000).describe('All of its text'),
    }),
    returns: '{ path, lines, wrote }: `wrote` is "new", "replaced", or "same" where the file read so already.',
    effects: 'idempotent',
    approval: codeApprovals.file_write,
    run: async ({ path, content }, { signal }) => {
      const target = await targetOf(root, path);
      const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
      const before = target.exists ? await readWhole(target.real, target.shown).catch(() => null) : null;
      if (before === content) return { path: target.shown, lines, wrote: 'same' };
      // An attempt that was given up must not write over what came after it.
      signal.throwIfAborted();
      await writeWhole(target, content);
      return { path: target.shown, lines, wrote: target.exists ? 'replaced' : 'new' };
    },
  });
}
