/**
 * What a worker and an isolated call send each other: one JSON text per message, in both kinds of isolation.
 *
 * The isolated side may be broken in any way, so the worker reads its messages as data of a stranger.
 */

import { isObject, type Json, type JsonObject } from '../../core/lib/json.js';
import type { ToolContext } from '../define/tool-definition.js';

/** From the worker. First `load`, then `run` once it is `ready`. */
export type ToIsolate =
  | {
      readonly type: 'load';
      readonly module: string;
      readonly export: string;
      /** The address of the loader for TypeScript; null for a compiled module. */
      readonly loader: string | null;
      /** The process of the worker, and the bytes that an isolated process may use. */
      readonly parent: number;
      readonly maxProcessBytes: number;
    }
  | { readonly type: 'run'; readonly input: unknown; readonly call: IsolatedCall }
  | { readonly type: 'abort'; readonly reason: string }
  | { readonly type: 'stored'; readonly id: number; readonly file: object }
  | { readonly type: 'notStored'; readonly id: number; readonly error: SentError }
  | { readonly type: 'answered'; readonly id: number; readonly answer: string }
  | { readonly type: 'notAnswered'; readonly id: number; readonly error: SentError };

/** The data of a call's context. */
export interface IsolatedCall
  extends Pick<ToolContext, 'idempotencyKey' | 'attempt' | 'chainId' | 'tenant' | 'user' | 'roles' | 'step'> {
  readonly secrets: Readonly<Record<string, string>>;
}

export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Of a `ToolError`. */
  readonly fatal: boolean;
  readonly cause: SentError | null;
}

export interface SentFile {
  readonly name: string;
  /** Base64. */
  readonly data: string;
  readonly mediaType?: string | undefined;
}

export interface SentVisibility {
  readonly level: string;
  readonly summary?: string | undefined;
}

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;

/** From the isolated call. Values are JSON. */
export type FromIsolate =
  | { readonly type: 'ready' }
  | { readonly type: 'notLoaded'; readonly message: string }
  | {
      readonly type: 'log';
      readonly level: (typeof logLevels)[number];
      readonly message: string;
      readonly fields?: JsonObject | undefined;
    }
  | { readonly type: 'emit' | 'heartbeat'; readonly value?: Json | undefined }
  | ({ readonly type: 'visibility' } & SentVisibility)
  | { readonly type: 'artifact'; readonly id: number; readonly file: SentFile }
  | { readonly type: 'ask'; readonly id: number; readonly question: JsonObject }
  | {
      readonly type: 'returned';
      /** Absent for a call without a result. */
      readonly value?: Json | undefined;
      /** Files of the result. In their places it has `{ [mark]: index }`. */
      readonly files: readonly SentFile[];
      readonly mark: string;
    }
  | { readonly type: 'threw'; readonly error: SentError };

/** Characters of a message. A longer one ends the call. */
export const maxMessageCharacters = 64_000_000;
/** Characters of a result as JSON. */
export const maxResultCharacters = 10_000_000;

/** Returns null for a text that is no message. */
export function parseFromIsolate(text: unknown): FromIsolate | null {
  if (typeof text !== 'string' || text.length > maxMessageCharacters) return null;
  try {
    const message: unknown = JSON.parse(text);
    if (!isObject(message) || typeof message.type !== 'string') return null;
    return Object.hasOwn(shapes, message.type) && shapes[message.type as FromIsolate['type']](message)
      ? (message as unknown as FromIsolate)
      : null;
  } catch {
    return null;
  }
}

type Members = Readonly<Record<string, unknown>>;

const shapes: { readonly [type in FromIsolate['type']]: (message: Members) => boolean } = {
  ready: () => true,
  notLoaded: ({ message }) => typeof message === 'string',
  log: ({ level, message, fields }) =>
    logLevels.some((each) => each === level) &&
    typeof message === 'string' &&
    (fields === undefined || isObject(fields)),
  emit: () => true,
  heartbeat: () => true,
  visibility: ({ level }) => typeof level === 'string',
  artifact: ({ id, file }) => typeof id === 'number' && isFile(file),
  ask: ({ id, question }) => typeof id === 'number' && isObject(question),
  returned: ({ files, mark }) => Array.isArray(files) && files.every(isFile) && typeof mark === 'string',
  threw: ({ error }) => isError(error),
};

function isFile(file: unknown): boolean {
  if (!isObject(file)) return false;
  const { name, data, mediaType } = file as Members;
  return (
    typeof name === 'string' && typeof data === 'string' && (mediaType === undefined || typeof mediaType === 'string')
  );
}

function isError(error: unknown): boolean {
  if (!isObject(error)) return false;
  const { name, message, stack, cause } = error as Members;
  const areTexts = [name, message, stack].every((each) => typeof each === 'string');
  return areTexts && (cause === null || isError(cause));
}
