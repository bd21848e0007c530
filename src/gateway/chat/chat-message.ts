/**
 * A message of the user, as both protocols send it. Its files are bytes that the client sends along: addresses are not
 * fetched, because the gateway reaches other hosts.
 */

import { isObject } from '../../core/lib/index.js';
import { defaults } from '../../core/model/index.js';
import { GatewayError } from '../request/problems.js';

export interface ChatMessage {
  readonly text: string;
  readonly files: Readonly<Record<string, Uint8Array>>;
}

/** A file as the client describes it. */
export interface MessageFile {
  readonly name: unknown;
  readonly mediaType: unknown;
  readonly bytes: Uint8Array;
}

/** Task of a message with files only. */
const fileText = 'See the attached files.';

/** @throws {GatewayError} `request_invalid` for an empty message, and for too many files */
export function toChatMessage(text: string, contents: readonly MessageFile[]): ChatMessage {
  if (text === '' && contents.length === 0)
    throw new GatewayError('request_invalid', 'The message of the user is empty. Send a text or a file.');
  const files = new Map<string, Uint8Array>();
  for (const { name, mediaType, bytes } of contents) files.set(toFileName(name, mediaType, files), bytes);
  return { text: text === '' ? fileText : text, files: Object.fromEntries(files) };
}

/** Returns the text of the parts of type `text`. */
export function joinTexts(parts: readonly unknown[]): string {
  const texts = parts.flatMap((part) =>
    isObject(part) && part.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
  );
  return texts.join('\n\n').trim();
}

/** @throws {GatewayError} `request_invalid` unless the URL contains the bytes */
export function readDataUrl(url: unknown): Uint8Array {
  const [, base64] = (typeof url === 'string' && /^data:[^,]{0,200};base64,(.*)$/s.exec(url)) || [];
  if (base64 === undefined)
    throw new GatewayError('request_invalid', 'A file must be a data URL in base64. Send its bytes, not an address.');
  return decodeBase64(base64);
}

/** @throws {GatewayError} `request_invalid` */
export function decodeBase64(text: string): Uint8Array {
  if (text === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0)
    throw new GatewayError('request_invalid', 'The bytes of a file are not valid base64.');
  return new Uint8Array(Buffer.from(text, 'base64'));
}

/** Returns the name of a file, which no other file of the message has. @throws {GatewayError} for too many files */
export function toFileName(name: unknown, mediaType: unknown, taken: ReadonlyMap<string, unknown>): string {
  if (taken.size >= defaults.files)
    throw new GatewayError('request_invalid', `A message has at most ${defaults.files} files. Send fewer.`);
  const [, subtype = 'bin'] = (typeof mediaType === 'string' && /^[\w.-]+\/([\w.-]{1,40})/.exec(mediaType)) || [];
  const fileName = typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 200) : `file.${subtype}`;
  for (let number = 1; ; number++) {
    const unique = number === 1 ? fileName : `${number}-${fileName}`;
    if (!taken.has(unique)) return unique;
  }
}
