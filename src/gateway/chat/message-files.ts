/** Files in messages: bytes that the client sends along. Addresses are not fetched, because the gateway reaches other hosts. */

import { defaults } from '../../core/model/defaults.js';
import { GatewayError } from '../request/problems.js';

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
  const wanted = typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 200) : `file.${subtype}`;
  for (let number = 1; ; number++) {
    const unique = number === 1 ? wanted : `${number}-${wanted}`;
    if (!taken.has(unique)) return unique;
  }
}
