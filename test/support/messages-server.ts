/**
 * A scripted model: an HTTP server on loopback that answers `POST /v1/messages` like the API, event for event, and rejects
 * the requests that the API rejects. It replaces only the model in tests and benches, so that all code of Longhand is the
 * code that runs in production.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../src/index.js';
import { parseJsonObject, readText } from '../../src/models/wire-events.js';
import { sendAnswer, sendError } from './messages-answer.js';
import { findRequestFault } from './messages-rules.js';
import type { ScriptedReply } from './scripted-reply.js';

export type { ScriptedReply } from './scripted-reply.js';

/** The body of a request that passed the rules. */
export interface RecordedBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly { readonly role: string; readonly content: string | readonly JsonObject[] }[];
  readonly system?: Json;
  readonly tools?: readonly JsonObject[];
  readonly tool_choice?: Json;
  readonly stop_sequences?: readonly string[];
  readonly stream?: boolean;
  readonly thinking?: Json;
  readonly output_config?: Json;
  readonly cache_control?: Json;
  readonly temperature?: number;
}

export interface RecordedRequest {
  readonly body: RecordedBody;
  readonly headers: IncomingMessage['headers'];
  /** Bytes of the body. */
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface MessagesServerOptions {
  /** Whether requests may have a `temperature`; newer models of Claude reject it. */
  readonly allowTemperature?: boolean;
  /** Counts the input tokens of a request of this many bytes. Default: the server does not count. */
  readonly countTokens?: (bytes: number) => number;
  /** Whether the model ignores its stop sequences. */
  readonly ignoreStopSequences?: boolean;
}

export interface MessagesServer {
  readonly url: string;
  /** Requests that passed the rules, in order. */
  readonly requests: readonly RecordedRequest[];
  /** The faults of the requests that did not pass. */
  readonly rejected: readonly string[];
  /** The number of connections that the client closed before the end of the reply. */
  readonly aborted: number;
  push(...replies: readonly ScriptedReply[]): void;
  /** Rejects if there were more requests than scripted replies. */
  close(): Promise<void>;
}

export type Script = readonly ScriptedReply[] | ((request: RecordedRequest) => ScriptedReply);

export async function startMessagesServer(
  script: Script,
  options: MessagesServerOptions = {},
): Promise<MessagesServer> {
  const waiting: ScriptedReply[] = Array.isArray(script) ? [...script] : [];
  const compose = typeof script === 'function' ? script : null;
  const requests: RecordedRequest[] = [];
  const rejected: string[] = [];
  let written = waiting.length;
  let aborted = 0;
  let closing = false;
  let calls = 0;
  let fault: string | null = null;

  const next = (request: RecordedRequest): ScriptedReply => {
    const reply = waiting.shift() ?? compose?.(request);
    if (reply !== undefined) return reply;
    fault = `no more scripted replies (asked ${requests.length} times, ${written} were written)`;
    return { status: 400, error: { type: 'invalid_request_error', message: fault } };
  };

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const text = await readText(incoming);
    if (incoming.url === '/v1/messages/count_tokens' && options.countTokens !== undefined) {
      const counted = JSON.stringify({ input_tokens: options.countTokens(Buffer.byteLength(text)) });
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(counted);
      return;
    }
    if (incoming.method !== 'POST' || incoming.url?.split('?')[0] !== '/v1/messages') {
      return sendError(outgoing, 404, {
        type: 'not_found_error',
        message: `no ${incoming.method} ${incoming.url} here`,
      });
    }
    const body = parseJsonObject(text);
    const wrong =
      body === null ? 'the body is not a JSON object' : findRequestFault(body, options.allowTemperature === true);
    if (wrong !== null) {
      rejected.push(wrong);
      return sendError(outgoing, 400, { type: 'invalid_request_error', message: wrong });
    }
    // `findRequestFault` has checked the members.
    const recorded = body as unknown as RecordedBody;
    const request = { body: recorded, headers: incoming.headers, bytes: Buffer.byteLength(text), at: Date.now() };
    requests.push(request);
    outgoing.on('close', () => {
      if (!outgoing.writableEnded && outgoing.errored === null && !closing) aborted += 1;
    });
    await sendAnswer(outgoing, next(request), {
      model: recorded.model,
      bytes: request.bytes,
      stopSequences: options.ignoreStopSequences ? [] : (recorded.stop_sequences ?? []),
      callId: () => `toolu_scripted_${++calls}`,
      stream: recorded.stream === true,
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
