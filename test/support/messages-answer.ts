/** Writes a scripted reply to a connection: as a stream of events, as one body, as an error, or incompletely. */

import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { isObject } from '../../src/core/lib/json.js';
import type { Json } from '../../src/index.js';
import { serializeEvent, toReplyBody, toReplyEvents, type WireEvent } from '../../src/models/wire-events.js';
import { type CompleteReply, type RequestFacts, type ScriptedReply, toWireReply } from './scripted-reply.js';

export interface WireError {
  readonly type: string;
  readonly message: string;
}

export async function sendAnswer(
  response: ServerResponse,
  reply: ScriptedReply,
  facts: RequestFacts & { readonly stream: boolean },
): Promise<void> {
  if ('status' in reply) {
    return sendError(response, reply.status, reply.error ?? { type: 'api_error', message: 'scripted' }, reply.headers);
  }
  if ('hang' in reply) {
    if (reply.afterEvents === undefined) return;
    return send(
      response,
      toReplyEvents(toWireReply({ text: reply.text ?? 'Let me see' }, facts)).slice(0, reply.afterEvents),
    );
  }
  if ('errorAfter' in reply) {
    const events = toReplyEvents(toWireReply({ text: reply.text }, facts)).slice(0, reply.errorAfter);
    await send(response, [...events, { type: 'error', error: { ...reply.error } }]);
    response.end();
    return;
  }
  if ('cutAfter' in reply) {
    await send(response, toReplyEvents(toWireReply({ text: reply.text }, facts)).slice(0, reply.cutAfter));
    // With an error, so that this cut is not counted as a disconnect of the client.
    if (reply.cleanly === true) response.end();
    else response.destroy(new Error('scripted cut'));
    return;
  }
  const wire = toWireReply(reply, facts);
  if (!facts.stream) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(toReplyBody(wire)));
    return;
  }
  const events =
    reply.usageOnWire === undefined ? toReplyEvents(wire) : withUsage(toReplyEvents(wire), reply.usageOnWire);
  await send(response, events, reply.chunkDelayMs ?? 0, reply.endLacks ?? 0);
  response.end();
}

function withUsage(events: readonly WireEvent[], { start, end }: NonNullable<CompleteReply['usageOnWire']>) {
  const toUsage = (usage: Json | undefined) => (usage === undefined ? {} : { usage });
  return events.map((event): WireEvent => {
    if (event.type === 'message_start' && isObject(event.message)) {
      const { usage: _, ...message } = event.message;
      return { ...event, message: { ...message, ...toUsage(start) } };
    }
    if (event.type !== 'message_delta') return event;
    const { usage: _, ...rest } = event;
    return { ...rest, type: event.type, ...toUsage(end) };
  });
}

export function sendError(
  response: ServerResponse,
  status: number,
  error: WireError,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = { type: 'error', error, request_id: 'req_scripted' };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Resolves when all events are written, so that a cut takes effect after them. */
async function send(response: ServerResponse, events: readonly WireEvent[], delayMs = 0, endLacks = 0): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  const texts = events.map(serializeEvent);
  const last = texts.pop() ?? '';
  texts.push(last.slice(0, last.length - endLacks));
  const batches = delayMs > 0 ? texts : [texts.join('')];
  for (const batch of batches) {
    if (response.destroyed) return;
    if (delayMs > 0) await pause(delayMs);
    if (batch !== '') await new Promise<void>((resolve) => response.write(batch, () => resolve()));
  }
}
