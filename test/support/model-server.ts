/**
 * A scripted model: an HTTP server on loopback that answers like an API, event for event, and rejects the requests that the
 * API rejects. It replaces only the model in tests and benches, so that all code of Longhand is the code that runs in
 * production. messages-server.ts and chat-server.ts have one for each API; the same script plays on both.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/index.js';
import { parseJsonObject, readText } from '../../src/models/wire/wire-events.js';
import { type AnswerWire, sendAnswer, sendError } from './model-answer.js';
import type { ScriptedReply } from './scripted-reply.js';

export interface RecordedRequest<Body = JsonObject> {
  readonly body: Body;
  readonly headers: IncomingMessage['headers'];
  /** Bytes of the body. */
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface ModelServerOptions {
  /** Whether requests may have a `temperature`; newer models of Claude reject it. */
  readonly allowTemperature?: boolean;
  /**
   * Whether a server of Chat Completions takes what LiteLLM's proxy sends: text in parts in all messages and calls without
   * `content`, as OpenAI does, and `thinking_blocks` beside the reasoning that it has sent itself.
   */
  readonly behindLitellm?: boolean;
  /** Whether the model ignores its stop sequences. */
  readonly ignoreStopSequences?: boolean;
}

export interface ModelServer<Body = JsonObject> {
  readonly url: string;
  /** Requests that passed the rules, in order. */
  readonly requests: readonly RecordedRequest<Body>[];
  /** The faults of the requests that did not pass. */
  readonly rejected: readonly string[];
  /** The number of connections that the client closed before the end of the reply. */
  readonly aborted: number;
  push(...replies: readonly ScriptedReply[]): void;
  /** Rejects if there were more requests than scripted replies. */
  close(): Promise<void>;
}

export type Script<Body = JsonObject> = readonly ScriptedReply[] | ((request: RecordedRequest<Body>) => ScriptedReply);

/** An API, as its server sees it. */
export interface ServerWire extends AnswerWire {
  /** Path of the requests. */
  readonly path: string;
  /** Returns the first fault of a request, or null. */
  readonly findFault: (body: JsonObject) => string | null;
  readonly getStopSequences: (body: JsonObject) => readonly string[];
  /** Returns the id of a call. @param number counted from 1 */
  readonly toCallId: (number: number) => string;
  /** Answers a request to another path; null where the API has none. */
  readonly answerOther?: (path: string, text: string) => JsonObject | null;
}

export async function startModelServer<Body>(
  wire: ServerWire,
  script: Script<Body>,
  options: ModelServerOptions = {},
): Promise<ModelServer<Body>> {
  const waiting: ScriptedReply[] = Array.isArray(script) ? [...script] : [];
  const compose = typeof script === 'function' ? script : null;
  const requests: RecordedRequest<Body>[] = [];
  const rejected: string[] = [];
  let written = waiting.length;
  let aborted = 0;
  let closing = false;
  let calls = 0;
  let fault: string | null = null;

  const next = (request: RecordedRequest<Body>): ScriptedReply => {
    const reply = waiting.shift() ?? compose?.(request);
    if (reply !== undefined) return reply;
    fault = `no more scripted replies (asked ${requests.length} times, ${written} were written)`;
    return { status: 400, error: { type: 'invalid_request_error', message: fault } };
  };

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const text = await readText(incoming);
    const path = incoming.url?.split('?')[0] ?? '';
    const other = wire.answerOther?.(path, text) ?? null;
    if (other !== null) {
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(other));
      return;
    }
    if (incoming.method !== 'POST' || path !== wire.path) {
      return sendError(wire, outgoing, 404, {
        type: 'not_found_error',
        message: `no ${incoming.method} ${incoming.url} here`,
      });
    }
    const body = parseJsonObject(text);
    const wrong = body === null ? 'the body is not a JSON object' : wire.findFault(body);
    if (body === null || wrong !== null) {
      rejected.push(String(wrong));
      return sendError(wire, outgoing, 400, { type: 'invalid_request_error', message: String(wrong) });
    }
    // The rules have checked the members.
    const request = {
      body: body as unknown as Body,
      headers: incoming.headers,
      bytes: Buffer.byteLength(text),
      at: Date.now(),
    };
    requests.push(request);
    outgoing.on('close', () => {
      if (!outgoing.writableEnded && outgoing.errored === null && !closing) aborted += 1;
    });
    await sendAnswer(wire, outgoing, next(request), {
      model: String(body.model),
      bytes: request.bytes,
      stopSequences: options.ignoreStopSequences ? [] : wire.getStopSequences(body),
      callId: () => wire.toCallId(++calls),
      stream: body.stream === true,
    });
  };

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) => {
      fault ??= `the scripted server failed: ${String(error)}`;
      outgoing.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    rejected,
    get aborted() {
      return aborted;
    },
    push: (...replies) => {
      waiting.push(...replies);
      written += replies.length;
    },
    close: async () => {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      if (fault !== null) throw new Error(fault);
    },
  };
}
