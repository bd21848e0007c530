/** Writes a scripted reply to a connection: as a stream of events, as one body, as an error, or incompletely. */

import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../src/index.js';
import type { WireReply } from '../../src/models/wire/wire-events.js';
import { type CompleteReply, type RequestFacts, type ScriptedReply, toWireReply } from './scripted-reply.js';

export interface WireError {
  readonly type: string;
  readonly message: string;
}

export type UsageOnWire = NonNullable<CompleteReply['usageOnWire']>;

/** The replies of an API. */
export interface AnswerWire {
  /** Returns the events of a reply, each as it is sent. */
  readonly toEvents: (reply: WireReply, usage?: UsageOnWire) => readonly string[];
  /** Returns the reply as a body without streaming. */
  readonly toBody: (reply: WireReply) => JsonObject;
  readonly toErrorEvent: (error: WireError) => string;
  readonly toErrorBody: (error: WireError) => JsonObject;
}

export async function sendAnswer(
  wire: AnswerWire,
  response: ServerResponse,
  reply: ScriptedReply,
  facts: RequestFacts & { readonly stream: boolean },
): Promise<void> {
  await reply.waitsFor;
  if ('status' in reply) {
    const error = reply.error ?? { type: 'api_error', message: 'scripted' };
    return sendError(wire, response, reply.status, error, reply.headers);
  }
  if ('hang' in reply) {
    if (reply.afterEvents === undefined) return;
    const hanging = toWireReply({ text: reply.text ?? 'Let me see' }, facts);
    return send(response, wire.toEvents(hanging, reply.usageOnWire).slice(0, reply.afterEvents));
  }
  if ('errorAfter' in reply) {
    const events = wire.toEvents(toWireReply({ text: reply.text }, facts)).slice(0, reply.errorAfter);
    await send(response, [...events, wire.toErrorEvent(reply.error)]);
    response.end();
    return;
  }
  if ('cutAfter' in reply) {
    const events = wire.toEvents(toWireReply({ text: reply.text }, facts), reply.usageOnWire);
    await send(response, events.slice(0, reply.cutAfter));
    return cut(response, reply.cleanly === true);
  }
  if ('cutAtByte' in reply) {
    if (reply.cutAtByte !== null) {
      const whole = Buffer.from(wire.toEvents(toWireReply(reply.reply, facts)).join(''));
      await send(response, [whole.subarray(0, reply.cutAtByte)]);
    }
    if (reply.stalls === true) return;
    return cut(response, reply.cleanly === true);
  }
  const complete = toWireReply(reply, facts);
  if (!facts.stream || reply.inOnePiece === true) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(wire.toBody(complete)));
    return;
  }
  const events = wire.toEvents(complete, reply.usageOnWire);
  const { pausesAfter } = reply;
  if (pausesAfter !== undefined) {
    await send(response, events.slice(0, pausesAfter.events));
    await pausesAfter.until;
  }
  await send(response, events.slice(pausesAfter?.events ?? 0), reply.chunkDelayMs ?? 0, reply.endLacks ?? 0);
  response.end();
}

/** With an error, so that the cut is not counted as a disconnect of the client. */
function cut(response: ServerResponse, cleanly: boolean): void {
  if (cleanly) response.end();
  else response.destroy(new Error('scripted cut'));
}

export function sendError(
  wire: AnswerWire,
  response: ServerResponse,
  status: number,
  error: WireError,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify(wire.toErrorBody(error));
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

/** Resolves when all events are written, so that a cut takes effect after them. */
async function send(
  response: ServerResponse,
  events: readonly (string | Buffer)[],
  delayMs = 0,
  endLacks = 0,
): Promise<void> {
  if (!response.headersSent) {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
    response.flushHeaders();
  }
  const pieces = events.map((event) => Buffer.from(event));
  const last = pieces.pop() ?? Buffer.alloc(0);
  pieces.push(last.subarray(0, last.length - endLacks));
  const batches = delayMs > 0 ? pieces : [Buffer.concat(pieces)];
  for (const batch of batches) {
    if (response.destroyed) return;
    if (delayMs > 0) await pause(delayMs);
    if (batch.length > 0) await new Promise<void>((resolve) => response.write(batch, () => resolve()));
  }
}
