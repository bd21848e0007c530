/**
 * The HTTP client of all tools: it requests only hosts that are allowed and addresses that are public, follows redirects by
 * the same rules, and limits size and time.
 *
 * H1 Each hop is checked: its URL by the rules, then all addresses of its host. The connection is made to a checked address.
 * H2 No header, body or secret of a request reaches another origin.
 * H3 A response has a limit of bytes, decompressed too, of total time and of time without a byte.
 */

import type { Readable } from 'node:stream';
import { acceptedEncodings, readBody } from './body.js';
import { type CheckedUrl, checkUrl } from './check-url.js';
import { openConnection } from './connection.js';
import { HttpFailure } from './failure.js';
import type { HostRule } from './host-rules.js';
import { isRedirect, type RequestParts, toRedirected } from './redirect.js';
import { type LookupHost, lookupBySystem, resolveHost } from './resolve-host.js';
import { toTransportFailure } from './transport-failure.js';

export interface HttpClientOptions {
  readonly rules: readonly HostRule[];
  /** Most bytes of a body, as sent and decompressed. */
  readonly maxBytes: number;
  /** Milliseconds for a request, its redirects and the body. */
  readonly timeoutMs: number;
  /** Milliseconds without a byte. */
  readonly idleMs: number;
  readonly maxRedirects: number;
  /** Default: the system's resolver. Its addresses are checked like all others. */
  readonly lookup?: LookupHost | undefined;
}

export interface HttpRequest {
  readonly url: string;
  readonly method: string;
  /** Names in lower case. Sent to the origin of `url` alone. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names of headers with secrets: never sent without encryption, except to hosts with a permission for private addresses. */
  readonly secretHeaders?: readonly string[];
  readonly body?: Uint8Array | null;
  /** Default true. Otherwise a redirect is the response. */
  readonly followRedirects?: boolean;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  /** After redirects. */
  readonly url: URL;
  /** Of the last request: a redirect may change it. */
  readonly method: string;
  readonly status: number;
  /** Names in lower case; several of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decompressed body, once. @throws {HttpFailure} */
  readonly body: AsyncIterable<Uint8Array>;
  /** Reads the whole body. @throws {HttpFailure} */
  readonly read: () => Promise<Buffer>;
  /** Ends the connection of a response whose body is not read. */
  readonly close: () => void;
}

export interface HttpClient {
  /** @throws {HttpFailure} @throws the reason of the request's signal */
  readonly send: (request: HttpRequest) => Promise<HttpResponse>;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  return {
    send: async (request) => {
      const deadline = AbortSignal.any([request.signal, AbortSignal.timeout(options.timeoutMs)]);
      const { body = null, method, headers } = request;
      let parts: RequestParts = { method, headers: { ...headers, 'accept-encoding': acceptedEncodings }, body };
      let { url } = request;
      for (let redirects = 0; ; redirects++) {
        const hop = { request, options, deadline, isFirst: redirects === 0 };
        const target = await atHop(hop, async () => checkUrl(url, options.rules));
        const answer = await sendOnce(hop, target, parts);
        const { location } = answer.headers;
        if (request.followRedirects === false || !isRedirect(answer.status) || location === undefined) return answer;
        answer.close();
        if (redirects === options.maxRedirects) {
          const message = `The request was redirected more than ${options.maxRedirects} times.`;
          throw new HttpFailure('redirect_not_followed', message, true);
        }
        const next = await atHop({ ...hop, isFirst: false }, async () =>
          resolveLocation(location, target.url, options),
        );
        parts = toRedirected(parts, answer.status, target.url, next);
        url = next.href;
      }
    },
  };
}

interface Hop {
  readonly request: HttpRequest;
  readonly options: HttpClientOptions;
  readonly deadline: AbortSignal;
  readonly isFirst: boolean;
}

/** A failure after the first hop: the request before it was sent. */
async function atHop<T>({ isFirst }: Hop, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isFirst || !(error instanceof HttpFailure) || error.sent) throw error;
    throw new HttpFailure(error.code, `The request was redirected. ${error.message}`, true);
  }
}

/** A relative location is resolved; an absolute one is checked as it is written. */
function resolveLocation(location: string, base: URL, { rules }: HttpClientOptions): URL {
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return checkUrl(location, rules).url;
  if (!URL.canParse(location, base.href)) throw new HttpFailure('url_invalid', 'Its target is not a valid URL.');
  return new URL(location, base.href);
}

async function sendOnce(hop: Hop, target: CheckedUrl, parts: RequestParts): Promise<HttpResponse> {
  const { request, options, deadline, isFirst } = hop;
  const exposed = request.secretHeaders?.find((name) => name in parts.headers) ?? null;
  if (exposed !== null && target.url.protocol === 'http:' && !target.isPrivate) {
    const message = `The request to ${target.host} was not sent: it has a secret, and http has no encryption. Use https.`;
    throw new HttpFailure('secret_not_sent', message, !isFirst);
  }
  const failure = (error: unknown, sent: boolean) =>
    toTransportFailure(error, { host: target.host, signal: request.signal, deadline, options, sent: sent || !isFirst });
  let addresses: readonly string[];
  try {
    addresses = await atHop(hop, () => resolveHost(target, options.lookup ?? lookupBySystem, deadline));
  } catch (error) {
    throw failure(error, false);
  }
  const { client, isOpen } = await openConnection(target, addresses, options.idleMs);
  const close = () => void client.destroy().catch(() => {});
  try {
    const { pathname, search } = target.url;
    const { method, headers, body } = parts;
    const answer = await client.request({
      ...{ path: `${pathname}${search}`, method: method as 'GET', headers, body, signal: deadline },
    });
    answer.body.on('error', () => {});
    const headersOfAnswer = joinHeaders(answer.headers);
    const isEmpty = method === 'HEAD' || answer.statusCode === 204 || answer.statusCode === 304;
    const encoding = isEmpty ? '' : (headersOfAnswer['content-encoding'] ?? '');
    const content = readUntilEnd(answer.body, encoding, options.maxBytes, {
      toFailure: (error) => failure(error, true),
      close,
    });
    return {
      ...{ url: target.url, method, status: answer.statusCode, headers: headersOfAnswer, body: content, close },
      read: async () => {
        const pieces: Uint8Array[] = [];
        for await (const piece of content) pieces.push(piece);
        return Buffer.concat(pieces);
      },
    };
  } catch (error) {
    close();
    throw failure(error, isOpen());
  }
}

async function* readUntilEnd(
  raw: Readable,
  encoding: string,
  maxBytes: number,
  { toFailure, close }: { readonly toFailure: (error: unknown) => unknown; readonly close: () => void },
): AsyncGenerator<Uint8Array> {
  try {
    yield* readBody(raw, encoding, maxBytes);
  } catch (error) {
    throw toFailure(error);
  } finally {
    close();
  }
}

function joinHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(entries);
}
