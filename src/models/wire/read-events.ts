/**
 * Reads the events of a reply, in time linear in its bytes (L7). Raw events are read, because those that the SDKs parse lack
 * pings and the last event, and their search for the end of an event begins again with each chunk.
 */

import { createParser } from 'eventsource-parser';
import { isObject, type JsonObject } from '../../core/lib/index.js';
import { defaults } from '../../core/model/index.js';
import { markOperation } from '../../timing/index.js';
import { createPacer } from './pacer.js';

/** Replaces the last event of some APIs, which is not JSON. */
export const doneEvent: JsonObject = { type: '[DONE]' };

/** A reply that cannot be read. Its message is a clause. */
export class InvalidReplyError extends Error {}

/**
 * Yields the events of a stream.
 *
 * @throws {InvalidReplyError} for an event that is too long; SyntaxError for one that is not JSON: the rest of the stream
 *   cannot be trusted
 */
export async function* readEvents({ body }: Response): AsyncGenerator<JsonObject> {
  if (body === null) return;
  const pacer = createPacer();
  let arrived: string[] = [];
  let isTooLong = false;
  const parser = createParser({
    onEvent: ({ data }) => arrived.push(data),
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded';
    },
    maxBufferSize: defaults.eventCharacters,
  });
  const decode = createLineDecoder();
  for await (const chunk of body) {
    markOperation('model reply');
    parser.feed(decode(chunk));
    if (isTooLong) throw new InvalidReplyError(`an event has more than ${defaults.eventCharacters} characters`);
    const events = arrived;
    arrived = [];
    for (const data of events) {
      const event = parseEvent(data);
      if (event !== null) yield event;
      const pause = pacer.pause();
      if (pause !== undefined) await pause;
    }
  }
}

/** Reads a body in one piece; null if it is not an object. @throws like `readEvents` */
export async function readBody(response: Response): Promise<JsonObject | null> {
  const text = await response.text();
  if (text.length > defaults.eventCharacters) {
    throw new InvalidReplyError(`the reply, in one piece, has more than ${defaults.eventCharacters} characters`);
  }
  markOperation('model reply');
  const body: unknown = JSON.parse(text);
  return isObject(body) ? body : null;
}

/** Null for events without content. */
function parseEvent(data: string): JsonObject | null {
  if (data === '') return null;
  if (data.startsWith('[DONE]')) return doneEvent;
  const event: unknown = JSON.parse(data);
  return isObject(event) ? event : null;
}

/** Decodes chunks with `\n` as their only line break: beside `\r`, the parser searches the whole rest for each line. */
function createLineDecoder(): (chunk: Uint8Array) => string {
  const decoder = new TextDecoder();
  let endedInReturn = false;
  return (chunk) => {
    const text = decoder.decode(chunk, { stream: true });
    const rest = endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') endedInReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  };
}
