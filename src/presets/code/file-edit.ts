/**
 * The built-in tool `file_edit`: one text in a file in place of another that stands there once.
 *
 * A call is made again when its worker was lost, so it says what should be rather than what to do: where the new text
 * stands already, and the old one nowhere but within it, nothing is changed.
 */

import { z } from 'zod';
import { codeApprovals } from '../../tools/approval/code-approvals.js';
import { readable } from '../../tools/builtin/files/input.js';
import { findFile } from '../../tools/builtin/files/near.js';
import type { Root } from '../../tools/builtin/files/root.js';
import { defineTool, type Tool } from '../../tools/define/define-tool.js';
import { ToolError } from '../../tools/define/errors.js';
import { nearText } from './near-text.js';
import { readWhole } from './read-whole.js';
import { writeWhole } from './write-whole.js';

/** Lines that are shown around what was changed. */
const around = 3;

export function fileEdit(root: Root): Tool {
  return defineTool({
    name: 'file_edit',
    description:
      'Replaces a text in a file that stands there exactly once. Read the file first and copy the text as it stands; take in enough of the lines around it that there is no second one.',
    input: z
      .object({
        path: readable.describe('The file, from the top: "src/index.ts"'),
        old: z.string().min(1).max(100_000).describe('The text to replace, as it stands in the file'),
        new: z.string().max(100_000).describe('The text that takes its place; "" takes the old one out'),
      })
      .refine(({ old, new: put }) => old !== put, 'old and new are the same: nothing would change'),
    returns: '{ path, changed, from, to, text }: lines `from` to `to` around the place, as they now read.',
    effects: 'idempotent',
    approval: codeApprovals.file_edit,
    run: async ({ path, old, new: put }, { signal, attempt }) => {
      const { real, shown } = await findFile(root, path, signal);
      const content = await readWhole(real, shown);
      const [wanted, instead] = content.includes('\r\n') ? [crlf(old), crlf(put)] : [old, put];
      const found = placesOf(content, wanted);
      const there = instead === '' ? [] : placesOf(content, instead);
      const done = there.find((from) => found.length > 0 && found.every((at) => isWithin(at, wanted, from, instead)));
      if (done !== undefined) return { path: shown, changed: false, ...seen(content, done, instead) };
      const [at] = found;
      if (at === undefined && attempt > 1 && (instead === '' || there.length > 0)) {
        const note = 'The text is not there: most likely an earlier attempt at this call has replaced it.';
        return { path: shown, changed: false, note, ...seen(content, there[0] ?? 0, instead) };
      }
      if (at === undefined) throw notThere(shown, content, { old, there });
      if (found.length > 1) {
        const lines = found.slice(0, 10).map((each) => lineOf(content, each));
        throw new ToolError(
          `${shown} has that text ${found.length} times, in lines ${lines.join(', ')}: take in more of the lines around the one that you mean.`,
        );
      }
      const changed = content.slice(0, at) + instead + content.slice(at + wanted.length);
      signal.throwIfAborted();
      await writeWhole({ real, shown, exists: true }, changed);
      return { path: shown, changed: true, ...seen(changed, at, instead) };
    },
  });
}

function isWithin(at: number, old: string, from: number, put: string): boolean {
  return from <= at && at + old.length <= from + put.length;
}

function notThere(
  shown: string,
  content: string,
  { old, there }: { old: string; there: readonly number[] },
): ToolError {
  const [already] = there;
  const help =
    already === undefined
      ? nearText(content, old)
      : `What should take its place stands in line ${lineOf(content, already)} already: there may be nothing left to do.`;
  return new ToolError(`${shown} has no such text. ${help}`);
}

function placesOf(content: string, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = content.indexOf(text); at !== -1; at = content.indexOf(text, at + 1)) places.push(at);
  return places;
}

function seen(content: string, at: number, text: string) {
  const lines = content.split(/\r?\n/);
  const first = lineOf(content, at);
  const from = Math.max(1, first - around);
  const to = Math.min(lines.length, first + text.split('\n').length - 1 + around);
  return { from, to, text: lines.slice(from - 1, to).join('\n') };
}

const lineOf = (content: string, at: number) => content.slice(0, at).split('\n').length;

/** What the model reads has no carriage returns; the file keeps those that it has. */
const crlf = (text: string) => text.replace(/\r?\n/g, '\r\n');
