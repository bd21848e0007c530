/** The header `Content-Type`, and the text of a body in its character set. */

import { TextDecoder } from 'node:util';

export interface MediaType {
  /** `text/html`, in lower case; empty if the header is missing or malformed. */
  readonly type: string;
  /** In lower case, or null. */
  readonly charset: string | null;
}

export function parseMediaType(header: string | undefined): MediaType {
  const [type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim());
  const charset = parameters
    .map((part) => /^charset\s*=\s*"?([^"\s]+)"?$/i.exec(part)?.[1])
    .find((name) => name !== undefined);
  return {
    type: /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type.toLowerCase() : '',
    charset: charset?.toLowerCase() ?? null,
  };
}

export function isJsonType(type: string): boolean {
  return /^(?:application\/(?:json|[\w.-]+\+json)|text\/json)$/.test(type);
}

export function isTextType(type: string): boolean {
  if (type.startsWith('text/') || isJsonType(type)) return true;
  return /^application\/(?:xml|xhtml\+xml|[\w.-]+\+xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|graphql|sql|x-www-form-urlencoded)$/.test(
    type,
  );
}

/** Returns whether a type matches a list such as `['application/json', 'text/*']`. */
export function matchesType(type: string, accepted: readonly string[]): boolean {
  return accepted.some((item) => (item.endsWith('/*') ? type.startsWith(item.slice(0, -1)) : type === item));
}

/** Decodes a text: by its byte order mark, else by the character set, else as UTF-8. Never throws. */
export function decodeText(bytes: Uint8Array, charset: string | null): string {
  const decoder = createDecoder(findMark(bytes) ?? charset ?? 'utf-8');
  const text = decoder.decode(bytes);
  return decoder.encoding === 'windows-1252' ? text.replace(/[\x80-\x9f]/g, toWindowsCharacter) : text;
}

/** What Windows-1252 has at 0x80 to 0x9f. Some versions of Node decode it as Latin-1, which has control characters there. */
const windowsCharacters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function toWindowsCharacter(character: string): string {
  return windowsCharacters[character.charCodeAt(0) - 0x80] ?? character;
}

function findMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : null;
}

function createDecoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
