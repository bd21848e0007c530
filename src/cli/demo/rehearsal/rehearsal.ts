/**
 * A model for whoever has none: a local server of the Messages API that plays the tasks of the demo and of the
 * examples. Its replies are computed from the observations it is sent, so that the tools are real and what it
 * answers is true; it looks at nothing else. It streams as a model does, so that a chain reads as one with a model.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../../core/lib/json.js';
import { jsonObject, readText } from '../../../models/read-json.js';
import { replyBody, replyEvents, type WireReply, writeEvent } from '../../../models/wire-events.js';
import { loopback } from '../../server/ports.js';
import { longestFiles } from './longest-files.js';
import { nextMove } from './next-move.js';
import { readRequest } from './read-request.js';
import { writeReply } from './write-reply.js';

export const demoTask = longestFiles.task;

/** What it calls itself. It has no price: a chain that names it as its model counts tokens, and no cost. */
export const rehearsedModel = 'rehearsed';

export interface Rehearsal {
  /** For `LONGHAND_MODEL_URL`. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

export interface RehearsalOptions {
  /** Told why it cannot go on: a refusal has no words in a chain. */
  readonly stuck?: (why: string) => void;
  /** Milliseconds between two pieces of a reply, about. Default 15. */
  readonly delayMs?: number;
}

/**
 * @example
 * const rehearsal = await startRehearsal();
 * const provider = anthropicProvider({ baseURL: rehearsal.url });
 */
export async function startRehearsal({ delayMs = 15, stuck = () => {} }: RehearsalOptions = {}): Promise<Rehearsal> {
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing, { delayMs, stuck }).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, loopback, resolve);
  });
  return {
    url: `http://${loopback}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { delayMs, stuck }: Required<RehearsalOptions>,
): Promise<void> {
  const text = await readText(incoming);
  const path = incoming.url?.split('?')[0];
  if (incoming.method !== 'POST' || path !== '/v1/messages') {
    return refuse(
      outgoing,
      404,
      'not_found_error',
      `Only POST /v1/messages is rehearsed, not ${incoming.method} ${path}.`,
    );
  }
  const body = jsonObject(text);
  if (body === null) return refuse(outgoing, 400, 'invalid_request_error', 'The body is not a JSON object.');
  const reply = replyTo(body, Buffer.byteLength(text));
  if (reply.stopReason === 'refusal') stuck(textOf(reply));
  if (body.stream === true) return stream(outgoing, reply, delayMs);
  outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(replyBody(reply)));
}

/** Pure: the same request gets the same reply. */
export function replyTo(body: JsonObject, bytes: number): WireReply {
  const request = readRequest(body);
  const move = nextMove(request);
  const content = writeReply(move, request);
  return {
    id: `msg_rehearsed_${request.seen.length + 1}`,
    model: rehearsedModel,
    content,
    stopReason:
      'stuck' in move ? 'refusal' : content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn',
    stopSequence: null,
    // Nobody counts here; about four bytes make a token.
    usage: {
      input: Math.ceil(bytes / 4),
      output: Math.ceil(Buffer.byteLength(JSON.stringify(content)) / 4),
      cacheRead: 0,
      cacheWrite: 0,
      thinking: 0,
    },
  };
}

async function stream(outgoing: ServerResponse, reply: WireReply, delayMs: number): Promise<void> {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  for (const [index, event] of replyEvents(reply).entries()) {
    // No two pauses alike, from two thirds to four thirds.
    await pause(delayMs * (0.67 + ((index * 29) % 67) / 100));
    if (outgoing.destroyed) return;
    outgoing.write(writeEvent(event));
  }
  outgoing.end();
}

function textOf({ content }: WireReply): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function refuse(outgoing: ServerResponse, status: number, type: string, message: string): void {
  const body = { type: 'error', error: { type, message } };
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
