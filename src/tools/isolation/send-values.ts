/** Results and errors of an isolated call, as they are sent: data alone, for any value that a tool returns or throws. */

import { randomUUID } from 'node:crypto';
import { types } from 'node:util';
import type { Json } from '../../core/lib/index.js';
import { toSafeErrorMessage } from '../../core/redact/index.js';
import { isToolFile, type ToolFile } from '../define/index.js';
import { type FromIsolate, maxResultCharacters, type SentError, type SentFile } from './messages.js';

const maxTextCharacters = 16_000;
const maxCauses = 3;

/** Converts a result. What cannot be sent becomes a text that states so: the call itself succeeded. */
export function toReturned(value: unknown): FromIsolate & { readonly type: 'returned' } {
  const mark = `file-${randomUUID()}`;
  const files: SentFile[] = [];
  const empty = { type: 'returned', mark, files: [] } as const;
  if (value === undefined) return empty;
  try {
    const text = JSON.stringify(value, (_key, member: unknown) => {
      if (!isToolFile(member)) return member;
      files.push(toSentFile(member));
      return { [mark]: files.length - 1 };
    });
    const size = (text ?? '').length + files.reduce((sum, { data }) => sum + data.length, 0);
    if ((text ?? '').length <= maxResultCharacters && size <= 3 * maxResultCharacters)
      return { ...empty, value: JSON.parse(text ?? 'null') as Json, files };
    const megabytes = Math.ceil(size / 1_000_000);
    const max = `an isolated call may return ${maxResultCharacters / 1_000_000} MB, and 20 MB of files`;
    return { ...empty, value: `done, but the result is too large: ${megabytes} MB of JSON; ${max}` };
  } catch (error) {
    return { ...empty, value: `done, but the result cannot be converted to JSON: ${toSafeErrorMessage(error)}` };
  }
}

export function toSentFile({ name, data, mediaType }: Pick<ToolFile, 'name' | 'data' | 'mediaType'>): SentFile {
  return { name, data: Buffer.from(data).toString('base64'), ...(mediaType === undefined ? {} : { mediaType }) };
}

/** Converts a thrown value of any kind. Never throws, even if its getters do. */
export function toSentError(thrown: unknown, depth = 0): SentError {
  const read = (member: string): unknown => {
    try {
      return isError(thrown) ? Reflect.get(thrown, member) : undefined;
    } catch {
      return undefined;
    }
  };
  const name = read('name');
  const stack = read('stack');
  const cause = read('cause');
  return {
    name: typeof name === 'string' ? name.slice(0, 200) : 'Error',
    message: toSafeErrorMessage(thrown).slice(0, maxTextCharacters),
    stack: typeof stack === 'string' ? stack.slice(0, maxTextCharacters) : '',
    fatal: read('fatal') === true,
    permanent: read('permanent') === true,
    cause: cause === undefined || cause === null || depth === maxCauses ? null : toSentError(cause, depth + 1),
  };
}

/** A proxy may throw at each look. */
function isError(thrown: unknown): thrown is object {
  try {
    return thrown instanceof Error || types.isNativeError(thrown);
  } catch {
    return false;
  }
}
