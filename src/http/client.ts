/** The client of a gateway, for browsers and Node: one method for each operation, typed by its schemas. */

import { LonghandError } from '../core/lib/index.js';
import { buildRequest, type Input } from './client/build-request.js';
import { createUnexpectedResponse } from './client/problem-error.js';
import type { RetryableError } from './client/retry.js';
import { clientRoutes } from './client/routes.js';
import { type Key, type Sender, sendWithRetries } from './client/send.js';
import { openStream } from './client/stream.js';
import type { HttpClient, KeyedCallOptions } from './client/types.js';
import type { Route } from './routes.js';

export interface HttpClientOptions {
  /** Address of the gateway: `https://longhand.acme.com`, with a path where a proxy serves it below one. */
  readonly url: string;
  /** An API key or a token. A function is called for each request, so that it can return a new one. */
  readonly key?: Key;
  /** Default: that of the platform. */
  readonly fetch?: typeof fetch;
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * How often a call is sent again after a failure that may pass. Calls that change something are sent again only where a
   * second request has no further effect, or where the gateway certainly did nothing. Default 4.
   */
  readonly retries?: number;
  /** How often in a row a stream connects again without receiving an event. Default 30, which takes some minutes. */
  readonly reconnects?: number;
  /**
   * Milliseconds of silence after which a stream connects again, also before the head of a response. The gateway sends
   * comments every 15 s. Default 60,000.
   */
  readonly idleMs?: number;
}

/**
 * Returns the client. Its methods take placeholders, query and body in one object, and throw `HttpProblemError`, or
 * `LonghandError` with the code `gateway_unreachable`.
 *
 * @example
 * const client = createHttpClient({ url: 'https://longhand.acme.com', key });
 * const { chainId } = await client.startChain({ agent: 'clerk', task: 'Pay invoice 17.' });
 * for await (const { event, data } of client.followChain({ chainId })) console.log(event, data);
 *
 * @throws {LonghandError} `invalid_options`
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const base = parseBase(options.url);
  const sender: Sender = {
    // A browser's fetch is a method of its window.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    key: options.key,
    headers: options.headers ?? {},
  };
  const methods = Object.entries<Route>(clientRoutes).map(([id, route]) => {
    const method = (input: Input = {}, called: KeyedCallOptions = {}) =>
      route.result === 'stream' ? follow(route, input, called) : call(route, input, called);
    return [id, method];
  });

  async function call(route: Route, input: Input, { signal, headers, idempotencyKey }: KeyedCallOptions) {
    const request = buildRequest(route, base, input);
    const key = route.keyed ? { 'idempotency-key': idempotencyKey ?? createIdempotencyKey() } : {};
    return sendWithRetries(
      sender,
      { ...request, headers: { ...headers, ...request.headers, ...key } },
      {
        signal,
        retries: options.retries ?? 4,
        isRepeatable: isRepeatable(route),
        read: (response) => readValue(route, response, signal),
      },
    );
  }

  async function* follow(route: Route, input: Input, { signal, headers }: KeyedCallOptions) {
    const request = buildRequest(route, base, input);
    yield* openStream(
      sender,
      { ...request, headers: { ...headers, ...request.headers } },
      { signal, reconnects: options.reconnects ?? 30, idleMs: options.idleMs ?? 60_000 },
    );
  }

  return Object.fromEntries(methods) as HttpClient;
}

function parseBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !isHttp || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new LonghandError(
      'invalid_options',
      'Invalid url. Use the form https://longhand.acme.com, without a password or query.',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** `randomUUID` is missing in pages without HTTPS. */
function createIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Not DELETE: a repeated one finds nothing, and its error would be that of the call. */
function isRepeatable({ method, keyed, repeatable }: Route): boolean {
  return method === 'GET' || method === 'PUT' || keyed === true || repeatable === true;
}

async function readValue(
  { result }: Route,
  response: Response,
  signal: AbortSignal | undefined,
): Promise<{ readonly value: unknown } | RetryableError> {
  if (result === 'bytes') return { value: response };
  const text = await response.text().catch((cause: unknown) => {
    signal?.throwIfAborted();
    return new LonghandError('gateway_unreachable', 'The connection was lost within a response.', { cause });
  });
  if (text instanceof Error) return { error: text, notDone: false, afterMs: null };
  if (result === 'empty') return { value: undefined };
  if (result === 'text') return { value: text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (cause) {
    throw createUnexpectedResponse('invalid JSON', { cause });
  }
}
