/** Rehearsed: the demo's task. Which files are the longest, and what they do, is what the file tools say. */

import { isObject } from '../../../core/lib/json.js';
import { headOf } from './first-comment.js';
import { dataOf, type Move, type Play, type Seen } from './play.js';

export const longestFiles: Play = {
  task: 'Which three TypeScript files under src are the longest, and what does each do?',
  next: ([listing, ...read]) => {
    if (listing === undefined) {
      return {
        thought:
          'I need the TypeScript files under src, longest first. The listing can sort by lines, and three are enough.',
        call: { tool: 'list_files', input: { directory: 'src', extension: 'ts', sort: 'lines', limit: 3 } },
      };
    }
    const files = filesIn(listing);
    if (files.length === 0)
      return { thought: 'The listing is empty.', answer: 'There is no TypeScript file under src.' };
    const next = files[read.length];
    return next === undefined ? answer(files, read) : look(next, read.length, files.length);
  },
};

interface Listed {
  readonly path: string;
  readonly lines: number;
}

function look({ path, lines }: Listed, at: number, all: number): Move {
  const order = ['longest', 'second longest', 'third longest'][at] ?? `number ${at + 1}`;
  const rest = at === all - 1 ? ' After it I can answer.' : '';
  return {
    thought: `${path} is the ${order}, with ${lines} lines. What it does should stand at its head.${rest}`,
    call: { tool: 'read_file', input: { path, from: 1, lines: 12 } },
  };
}

function answer(files: readonly Listed[], read: readonly Seen[]): Move {
  const lines = files.map(({ path, lines }, at) => {
    const head = headOf(sourceIn(read[at]));
    const says = head.kind === 'comment' ? 'says of itself' : 'has no comment at its head and begins with';
    return `${at + 1}. ${path} (${lines} lines) ${says}: "${head.text}"`;
  });
  return {
    thought: 'I have the three files and what each says of itself at its head.',
    answer: `The longest TypeScript files under src are:\n${lines.join('\n')}`,
  };
}

function filesIn(listing: Seen): readonly Listed[] {
  const data = dataOf(listing);
  const rows = Array.isArray(data) ? data.filter(isObject) : [];
  return rows.flatMap(({ path, lines }) => (typeof path === 'string' ? { path, lines: Number(lines) } : []));
}

function sourceIn(seen: Seen | undefined): string {
  const data = dataOf(seen);
  return isObject(data) && typeof data.text === 'string' ? data.text : '';
}
