/**
 * Frames of server-sent events. Text of models and people is data only: no character of it can begin a field or an event.
 */

import { LonghandError } from '../../core/lib/index.js';

/** Fields of an event. The order in a frame is `retry`, `id`, `event`, `data`. */
export interface SseFields {
  /** Letters, digits, `.`, `_` and `-`, beginning with a letter, at most 64. Absent, clients take `message`. */
  readonly event?: string;
  /** Visible ASCII characters, at most 512. Absent, the client's last id stays. */
  readonly id?: string;
  /** After a lost connection, milliseconds until the client connects again. */
  readonly retry?: number;
}

/** A comment, which clients ignore: it keeps proxies from closing a connection without traffic. */
export const heartbeatFrame = ': \n\n';

/**
 * Returns the frame of an event whose data is JSON, in one line.
 *
 * @throws {LonghandError} `invalid_options`: a field is malformed, or `data` has no JSON form
 */
export function formatJsonFrame(data: unknown, fields: SseFields = {}): string {
  const json: string | undefined = JSON.stringify(data);
  if (json === undefined) {
    throw new LonghandError('invalid_options', 'The data of an event has no JSON form: pass null or an object.');
  }
  return formatTextFrame(json.replace(otherLineEnds, escapeCharacter), fields);
}

/**
 * Returns the frame of an event whose data is text. Clients get its lines joined by `\n`.
 *
 * @throws {LonghandError} `invalid_options`: a field is malformed
 */
export function formatTextFrame(text: string, fields: SseFields = {}): string {
  const data = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${formatFields(fields)}${data.join('')}\n`;
}

/** Lines do not end at these in SSE, but in some programs that split text into lines. */
const otherLineEnds = /[\u0085\u2028\u2029]/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function formatFields({ event, id, retry }: SseFields): string {
  let fields = '';
  if (retry !== undefined) {
    if (!Number.isSafeInteger(retry) || retry < 0) reject('retry', 'pass whole milliseconds, at least 0');
    fields += `retry: ${retry}\n`;
  }
  if (id !== undefined) {
    if (!/^[\x21-\x7e]{1,512}$/.test(id)) reject('id', 'pass 1 to 512 visible ASCII characters');
    fields += `id: ${id}\n`;
  }
  if (event !== undefined) {
    if (!/^[A-Za-z][\w.-]{0,63}$/.test(event)) reject('event', 'pass a letter, then letters, digits, ".", "_" or "-"');
    fields += `event: ${event}\n`;
  }
  return fields;
}

/** The value stays out of the message: it may be hostile. */
function reject(field: string, fix: string): never {
  throw new LonghandError('invalid_options', `The field ${field} of an event is malformed: ${fix}.`);
}
