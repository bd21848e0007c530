/** The body of a response as a member of a tool's result: JSON, text, or a file. */

import { TextDecoder } from 'node:util';
import { type Json, measureJson, parseJson } from '../../../core/lib/index.js';
import { file, type ToolFile } from '../../define/index.js';
import { decodeText, isJsonType, isTextType, type MediaType } from '../../http/index.js';

/** Returns null for an empty body. JSON that cannot be parsed is a text. */
export function toResultBody(bytes: Uint8Array, { type, charset }: MediaType, url: URL): Json | ToolFile {
  if (bytes.byteLength === 0) return null;
  if (!(type === '' ? isUtf8Text(bytes) : isTextType(type))) {
    return file({ name: toFileName(url), data: bytes, ...(type === '' ? {} : { mediaType: type }) });
  }
  const text = decodeText(bytes, charset);
  return isJsonType(type) || type === '' ? (parseShallowJson(text) ?? text) : text;
}

/** Deeper values are shown as text: all that handles a result, and the model, would have to descend. */
const maxDepth = 64;

/** Returns undefined also for a deep value. */
function parseShallowJson(text: string): Json | undefined {
  const value = parseJson(text);
  return value !== undefined && measureJson(value).depth <= maxDepth ? value : undefined;
}

function isUtf8Text(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The last part of the path, in characters that each file system takes. */
export function toFileName(url: URL): string {
  const last = url.pathname.split('/').filter(Boolean).at(-1) ?? '';
  const name = last
    .replace(/(?:%[0-9a-f]{2}|[^\w.-])+/gi, '_')
    .replace(/^\.+/, '')
    .slice(-100);
  return name === '' ? 'response' : name;
}
