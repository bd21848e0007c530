/**
 * A long task whose facts are far apart: read many pages, one at a time, then answer with the codes of some of them. The models know
 * nothing but their request: the reader answers with the codes that it finds there, and the writer of notes writes down those that it
 * finds there.
 */

import { z } from 'zod';
import { defineTool, type Json } from '../../src/index.js';
import type { RecordedRequest } from './messages-server.js';
import { listTexts } from './reacting-model.js';
import type { CompleteReply } from './scripted-reply.js';

/** Returns the code that only this page states. */
export function codeOf(page: number): string {
  return `K${(page * 7_919) % 99_991}`;
}

const lines = 30;

/** Returns a text of about 2 KB. Its code is in another line in each page, sometimes the first one. */
export function renderPage(page: number): string {
  const place = ((page * 7_919) % 99_991) % lines;
  const filler = `This line of page ${page} has nothing that anybody needs.`;
  const rows = Array.from({ length: lines }, (_, row) =>
    row === place ? `The code of page ${page} is ${codeOf(page)}.` : filler,
  );
  return [`Page ${page}.`, ...rows].join('\n');
}

export const readPage = defineTool({
  name: 'read_page',
  description: 'Reads a page of the book.',
  inputSchema: z.object({ page: z.number().int().min(1) }),
  effects: 'read',
  execute: ({ page }) => renderPage(page),
});

export function toReadingTask(pages: number, asked: readonly number[]): string {
  return `Read the pages 1 to ${pages} of the book, one at a time. Then state the codes of these pages: ${asked.join(', ')}.`;
}

export const unknownCode = 'unknown';

/** Replies as the reader, or as the writer of notes, by the system prompt. */
export function replyAsReader({ body }: Pick<RecordedRequest, 'body'>): CompleteReply {
  const text = listTexts(body.messages as unknown as Json).join('\n');
  const codes = findCodes(text);
  if (JSON.stringify(body.system ?? '').includes('You write the notes of an agent'))
    return { text: [...codes].map(([page, code]) => `page ${page}: ${code}`).join('\n') };
  const task = /Read the pages 1 to (\d+) .*: ([\d, ]+)\./.exec(text);
  const pages = Number(task?.[1] ?? 0);
  const next = findLastPage(text) + 1;
  if (next <= pages) return { text: `I read page ${next}.`, calls: [{ name: readPage.name, input: { page: next } }] };
  const asked = (task?.[2] ?? '').split(', ').map(Number);
  return { text: asked.map((page) => `${page}: ${codes.get(page) ?? unknownCode}`).join('\n') };
}

function findCodes(text: string): ReadonlyMap<number, string> {
  const found = [...text.matchAll(/(?:code of page (\d+) is|\bpage (\d+):) (K\d+)/g)];
  return new Map(found.map(([, page, noted, code]) => [Number(page ?? noted), code ?? '']));
}

function findLastPage(text: string): number {
  return Math.max(0, ...[...text.matchAll(/I read page (\d+)\./g)].map(([, page]) => Number(page)));
}
