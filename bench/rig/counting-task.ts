/**
 * The delegated task: a foreman has many parts counted, each by a sub-chain that answers at once. The replies are computed
 * from the requests, so that all systems receive the same.
 */

import type { ReplyBlock } from '../../src/core/model/model.js';

export const foreman = {
  name: 'foreman',
  instructions: 'You have parts counted. Give each one to a counter, then report that you are done.',
} as const;

export const counter = {
  name: 'counter',
  instructions: 'You count the pieces of one part. Report what you have found.',
} as const;

const opening = 'Have parts counted: ';
const counting = 'Count the pieces of part P-';

export function countingTask(parts: number): string {
  return `${opening}${parts}`;
}

export function countTasks(parts: number): readonly string[] {
  return Array.from(
    { length: parts },
    (_, at) => `${counting}${at + 1}, on all shelves of the hall, and report what is missing.`,
  );
}

/** Returns the reply to a request that has `spoken` replies; null for a request of another task. */
export function countingReply(body: Buffer, spoken: number): readonly ReplyBlock[] | null {
  const parts = numberBehind(body, opening);
  if (parts !== null) return spoken === 0 ? handedOn(parts) : [{ type: 'text', text: `All ${parts} are counted.` }];
  const part = numberBehind(body, counting);
  return part === null ? null : [{ type: 'text', text: counted(part) }];
}

function handedOn(parts: number): readonly ReplyBlock[] {
  return [
    { type: 'text', text: 'Each part goes to a counter of its own.' },
    { type: 'tool_use', id: 'toolu_parts', name: `map_${counter.name}`, input: { tasks: countTasks(parts) } },
  ];
}

function counted(part: number): string {
  return `Part P-${part}: ${(part * 7919) % 9_973} pieces on ${1 + (part % 7)} shelves; nothing is missing, and the book agrees.`;
}

function numberBehind(body: Buffer, text: string): number | null {
  const at = body.indexOf(text);
  return at < 0 ? null : Number.parseInt(body.toString('latin1', at + text.length, at + text.length + 9), 10);
}
