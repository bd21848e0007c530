/**
 * The context of an isolated call, on its side of the boundary.
 *
 * Messages wait in the worker's memory, and a loop may send without end. So logs are limited, of other values only the newest is
 * sent, five times a second, and artifacts are sent one after the other.
 */

import { isObject, type Json, type JsonObject, omitUndefined } from '../../core/lib/index.js';
import type { StoredFile } from '../../core/model/index.js';
import { toSafeErrorMessage } from '../../core/redact/index.js';
import type { PersonQuestion, ToolContext, ToolLog } from '../define/index.js';
import type { FromIsolate, IsolatedCall, ToIsolate } from './messages.js';
import { fromSentError } from './receive-values.js';
import { toSentFile } from './send-values.js';

export interface InnerContext {
  readonly context: ToolContext<string>;
  /** Takes a message of the worker to the running call. */
  readonly receive: (message: ToIsolate) => void;
  /** Sends what waits. */
  readonly flush: () => void;
}

type Send = (message: FromIsolate) => void;

const intervalMs = 200;
const maxLogLines = 1_000;
const maxLogCharacters = 8_000;
const maxValueCharacters = 100_000;
const maxArtifactBytes = 32_000_000;

export function createInnerContext({ secrets, ...call }: IsolatedCall, send: Send): InnerContext {
  const abort = new AbortController();
  const emitted = createThrottle((value) => send({ type: 'emit', value: toBoundedJson(value) }));
  const beats = createThrottle((value) => send({ type: 'heartbeat', value: toBoundedJson(value) }));
  const artifacts = createArtifactSender(send);
  const questions = createQuestionSender(send);
  return {
    context: {
      ...call,
      signal: abort.signal,
      log: createLog(send),
      emit: emitted.put,
      heartbeat: beats.put,
      visibility: createVisibility(send),
      secret: (name) => {
        if (Object.hasOwn(secrets, name)) return secrets[name]!;
        throw new TypeError(`The secret ${name} is not passed to this call. Add secrets: ['${name}'] to its isolate.`);
      },
      artifact: artifacts.put,
      ask: questions.ask,
    },
    receive: (message) => {
      if (message.type === 'abort') abort.abort(new Error(message.reason));
      else if (message.type === 'answered' || message.type === 'notAnswered') questions.receive(message);
      else artifacts.receive(message);
    },
    flush: () => {
      emitted.flush();
      beats.flush();
    },
  };
}

/** By the clock, not by timers alone: a loop that blocks sends too. */
function createThrottle(write: (value: unknown) => void) {
  let waiting: { readonly value: unknown } | null = null;
  let last = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === null) return;
    const { value } = waiting;
    waiting = null;
    last = performance.now();
    write(value);
  };
  const put = (value: unknown) => {
    waiting = { value };
    const dueIn = last + intervalMs - performance.now();
    if (dueIn <= 0) flush();
    else timer ??= setTimeout(flush, dueIn).unref();
  };
  return { put, flush };
}

function toBoundedJson(value: unknown): Json | undefined {
  try {
    const text = JSON.stringify(value);
    if (text === undefined) return undefined;
    return text.length <= maxValueCharacters ? (JSON.parse(text) as Json) : '[too large to be shown]';
  } catch {
    return '[cannot be shown]';
  }
}

function createLog(send: Send): ToolLog {
  let lines = 0;
  const at = (level: keyof ToolLog) => (message: string, fields?: Record<string, unknown>) => {
    lines += 1;
    if (lines > maxLogLines) return;
    if (lines === maxLogLines)
      return send({ type: 'log', level: 'warn', message: `[more than ${maxLogLines} lines: the others are left out]` });
    const sent = fields === undefined ? undefined : toBoundedJson(fields);
    const text = toSafeErrorMessage(message);
    send({
      type: 'log',
      level,
      message:
        text.length <= maxLogCharacters ? text : `[a line of more than ${maxLogCharacters} characters is left out]`,
      ...(isObject(sent) ? { fields: sent } : {}),
    });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function createVisibility(send: Send): ToolContext['visibility'] {
  let last = '';
  let changes = 0;
  return (level, summary) => {
    const message = {
      type: 'visibility' as const,
      level: String(level),
      ...(typeof summary === 'string' ? { summary: summary.slice(0, 1_000) } : {}),
    };
    const key = JSON.stringify(message);
    changes += key === last ? 0 : 1;
    // The last call counts: of too many changes, the call is hidden.
    if (key !== last && changes <= maxLogLines)
      send(changes === maxLogLines ? { ...message, level: 'hidden' } : message);
    last = key;
  };
}

function createArtifactSender(send: Send) {
  let before: Promise<unknown> = Promise.resolve();
  let waiting: { readonly id: number; readonly take: (message: ToIsolate) => void } | null = null;
  let ids = 0;
  const put: ToolContext['artifact'] = (name, content, { mediaType } = {}) => {
    const store = async (): Promise<StoredFile> => {
      const data = await collect(content);
      const id = ++ids;
      const answer = new Promise<ToIsolate>((take) => {
        waiting = { id, take };
      });
      send({
        type: 'artifact',
        id,
        file: toSentFile({ name, data, ...omitUndefined({ mediaType }) }),
      });
      const message = await answer;
      if (message.type === 'stored') return message.file as StoredFile;
      throw message.type === 'notStored' ? fromSentError(message.error) : new Error('The artifact was not stored.');
    };
    const stored = before.then(store);
    before = stored.catch(() => {});
    return stored;
  };
  const receive = (message: ToIsolate) => {
    if ('id' in message && message.id === waiting?.id) waiting.take(message);
  };
  return { put, receive };
}

/** A schema is code, which cannot be sent. */
function createQuestionSender(send: Send) {
  const waiting = new Map<number, (message: Answer) => void>();
  let ids = 0;
  const ask = async ({ schema, ...question }: PersonQuestion): Promise<string> => {
    if (schema !== undefined) throw new TypeError('An isolated call asks for texts: leave out `schema`.');
    const id = ++ids;
    const answer = new Promise<Answer>((take) => {
      waiting.set(id, take);
    });
    send({ type: 'ask', id, question: question as JsonObject });
    const message = await answer;
    if (message.type === 'answered') return message.answer;
    throw fromSentError(message.error);
  };
  return { ask: ask as ToolContext['ask'], receive: (message: Answer) => waiting.get(message.id)?.(message) };
}

type Answer = Extract<ToIsolate, { readonly type: 'answered' | 'notAnswered' }>;

async function collect(content: Parameters<ToolContext['artifact']>[1]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const add = (piece: Uint8Array) => {
    bytes += piece.length;
    if (bytes > maxArtifactBytes)
      throw new RangeError(`An artifact of an isolated call may have ${maxArtifactBytes / 1_000_000} MB.`);
    pieces.push(piece);
  };
  if (typeof content === 'string') add(Buffer.from(content));
  else if (content instanceof Uint8Array) add(content);
  else for await (const piece of content) add(piece);
  return Buffer.concat(pieces);
}
