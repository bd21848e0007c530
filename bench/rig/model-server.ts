/**
 * Plays the model, in a process of its own so that its work is not counted. It holds nothing between requests and
 * does not parse them: which step it is, is how often the assistant has spoken in the conversation that it is sent. A request that does
 * not ask for a stream gets its reply as one body.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serializeEvent, toReplyBody, toReplyEvents, type WireReply } from '../../src/models/wire/wire-events.js';
import { countingReply } from './counting-task.js';
import { recordRequest } from './crash-records.js';
import { callsAsked, isAtLeisure, model, pauseAsked, replyAt, stepsAsked, stepsMade } from './task.js';

export interface ModelServerMessage {
  readonly url: string;
}

/** Milliseconds. */
const leisureMs = 1_000;

const streaming = Buffer.from('"stream":true');
const spoken = Buffer.from('"role":"assistant"');

const server = createServer((request, response) => {
  void answer(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}` } satisfies ModelServerMessage);
});
process.once('disconnect', () => process.exit(0));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const step = stepsMade(body) + 1;
  recordRequest(step);
  const content = countingReply(body, occurrences(body, spoken)) ?? replyAt(step, stepsAsked(body), callsAsked(body));
  const reply: WireReply = {
    id: `msg_part_${step}`,
    model,
    content,
    stopReason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    stopSequence: null,
    usage: { input: Math.ceil(body.length / 4), output: 40, cacheRead: 0, cacheWrite: 0, thinking: 0 },
  };
  const thinkingMs = isAtLeisure(body) ? leisureMs : pauseAsked(body);
  if (thinkingMs > 0) await sleep(thinkingMs);
  if (!body.includes(streaming)) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(toReplyBody(reply)));
    return;
  }
  const events = toReplyEvents(reply);
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.end(events.map(serializeEvent).join(''));
}

function occurrences(body: Buffer, text: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + text.length)) count += 1;
  return count;
}
