/**
 * What a worker and an isolated call send each other: one JSON text per message, in both kinds of isolation.
 *
 * The isolated side may be broken in any way, so the worker reads its messages as data of a stranger.
 */

import { check, type Json, type JsonObject } from '../../core/lib/index.js';
import type { ToolContext } from '../define/index.js';

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
  /** Of a `ToolError` or `NotDone`. */
  readonly permanent: boolean;
  readonly cause: SentError | null;
}

export interface SentFile {
  readonly name: string;
  /** Base64. */
  readonly data: string;
  readonly mediaType?: string | undefined;
}

interface SentVisibility {
  readonly level: string;
  readonly summary?: string | undefined;
}

const logLevels = ['debug', 'info', 'warn', 'error'] as const;

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

/** Returns null for a text that is not a message. */
export function parseFromIsolate(text: unknown): FromIsolate | null {
  if (typeof text !== 'string' || text.length > maxMessageCharacters) return null;
  try {
    const message: unknown = JSON.parse(text);
    return checkMessage.is(message) ? (message as FromIsolate) : null;
  } catch {
    return null;
  }
}

const checkFile = check.shape<SentFile>({
  ...{ name: check.text, data: check.text },
  mediaType: check.optional(check.text),
});

const checkCause: check.Check = check.define((value) => checkError.is(value), 'must be an error');
const checkError = check.shape({
  ...{ name: check.text, message: check.text, stack: check.text },
  cause: check.nullable(checkCause),
});

const messages: { readonly [type in FromIsolate['type']]: check.Check } = {
  ready: check.anything,
  notLoaded: check.shape({ message: check.text }),
  log: check.shape({ level: check.oneOf(logLevels), message: check.text, fields: check.optional(check.object) }),
  emit: check.anything,
  heartbeat: check.anything,
  visibility: check.shape({ level: check.text }),
  artifact: check.shape({ id: check.number, file: checkFile }),
  ask: check.shape({ id: check.number, question: check.object }),
  returned: check.shape({ files: check.list(checkFile), mark: check.text }),
  threw: check.shape({ error: checkError }),
};
const checkMessage = check.variant('type', messages);
