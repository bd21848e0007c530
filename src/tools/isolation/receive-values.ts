/** Results and errors of an isolated call, as the worker makes them of what was sent. */

import { findOwn, isObject, omitUndefined } from '../../core/lib/index.js';
import { toSafeErrorMessage } from '../../core/redact/index.js';
import { file, NotDone, ToolError } from '../define/index.js';
import type { FromIsolate, SentError } from './messages.js';

export function fromReturned({ value, files, mark }: FromIsolate & { readonly type: 'returned' }): unknown {
  if (files.length === 0) return value;
  const revive = (_key: string, member: unknown) => {
    const index = isObject(member) ? findOwn<unknown>(member, mark) : undefined;
    const rawFile = typeof index === 'number' ? files[index] : undefined;
    if (rawFile === undefined) return member;
    const { name, data, mediaType } = rawFile;
    return file({ name, data: Buffer.from(data, 'base64'), ...omitUndefined({ mediaType }) });
  };
  try {
    // The text again: JSON has no other way to replace members at any depth.
    return JSON.parse(JSON.stringify(value), revive);
  } catch (error) {
    // Too deep. The call itself succeeded.
    return `done, but the result cannot be read: ${toSafeErrorMessage(error)}`;
  }
}

const namedErrors = { TypeError, RangeError, SyntaxError, ReferenceError, URIError, EvalError };

/** Returns an error of the same kind: `NotDone` and `ToolError` keep their meaning. */
export function fromSentError({ name, message, stack, fatal, permanent, cause }: SentError): Error {
  const options = cause === null ? {} : { cause: fromSentError(cause) };
  const error = createError(name, message, { fatal, permanent, ...options });
  error.stack = stack;
  return error;
}

function createError(
  name: string,
  message: string,
  options: Pick<SentError, 'fatal' | 'permanent'> & { readonly cause?: Error },
): Error {
  if (name === 'NotDone') return new NotDone(message, options);
  if (name === 'ToolError') return new ToolError(message, options);
  const known = findOwn<ErrorConstructor>(namedErrors, name);
  if (known !== undefined) return new known(message, options);
  const error = new Error(message, options);
  if (name !== 'Error') error.name = name;
  return error;
}
