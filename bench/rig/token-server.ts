/**
 * A model that speaks at an even pace and records when it writes each token, for the delay between its byte and a follower. The
 * counted tokens of all replies begin when each follower has received others: the start of chains is not measured.
 */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readText, serializeEvent, type WireEvent } from '../../src/models/wire/wire-events.js';
import { model } from './task.js';

export interface Pace {
  /** At once. */
  readonly replies: number;
  /** Counted tokens of a reply. */
  readonly tokens: number;
  /** Milliseconds between two of them. */
  readonly intervalMs: number;
}

export interface TokenServer {
  readonly url: string;
  /** Reports that the follower of a reply receives its tokens. */
  readonly begin: (reply: string) => void;
  /** When each counted token of a reply was written, in milliseconds of `clockMs`. */
  readonly getTimes: (reply: string) => readonly number[];
  readonly close: () => Promise<void>;
}

/** Milliseconds of a clock that never jumps. */
export function clockMs(): number {
  return performance.now();
}

const waitingToken = '. ';
const maxWaitMs = 60_000;

export function formatToken(nth: number): string {
  return `~${nth}~ `;
}

/** Finds the numbers of counted tokens in a text. */
export function findTokens(text: string): readonly { readonly nth: number; readonly end: number }[] {
  return [...text.matchAll(/~(\d+)~/g)].map((match) => ({ nth: Number(match[1]), end: match.index + match[0].length }));
}

/** The task names the reply: its times are kept under it. */
export function taskOfReply(reply: string): string {
  return `Speak as reply-${reply}.`;
}

export async function startTokenServer(pace: Pace): Promise<TokenServer> {
  const times = new Map<string, number[]>();
  const begun = new Set<string>();
  const server = createServer((request, response) => {
    readText(request)
      .then((body) => speak(response, body))
      .catch(() => response.destroy());
  });
  const speak = async (response: ServerResponse, body: string): Promise<void> => {
    const reply = /reply-([\w-]+)/.exec(body)?.[1] ?? '';
    const own: number[] = [];
    times.set(reply, own);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
    const write = (event: WireEvent) => response.write(serializeEvent(event));
    const usage = { input_tokens: Math.ceil(body.length / 4), output_tokens: 1 };
    write({
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage },
    });
    write({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    const writeText = (text: string) =>
      write({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
    const deadline = clockMs() + maxWaitMs;
    while (begun.size < pace.replies && clockMs() < deadline) {
      writeText(waitingToken);
      await sleep(pace.intervalMs);
    }
    for (let nth = 0; nth < pace.tokens; nth += 1) {
      own.push(clockMs());
      writeText(formatToken(nth));
      await sleep(pace.intervalMs);
    }
    write({ type: 'content_block_stop', index: 0 });
    const delta = { stop_reason: 'end_turn', stop_sequence: null };
    write({ type: 'message_delta', delta, usage: { output_tokens: 2 * pace.tokens } });
    write({ type: 'message_stop' });
    response.end();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin: (reply) => begun.add(reply),
    getTimes: (reply) => times.get(reply) ?? [],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
