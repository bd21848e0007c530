/** One request and its response: at a URL that was checked, over a connection to an address that was checked. */

import type { Readable } from 'node:stream';
import { classifyAddress } from './address-kind.js';
import { readBody } from './body.js';
import type { CheckedUrl } from './check-url.js';
import { openConnection } from './connection.js';
import { HttpFailure } from './failure.js';
import type { HttpClientOptions, HttpRequest, HttpResponse } from './messages.js';
import type { RequestParts } from './redirect.js';
import { lookupBySystem, resolveHost } from './resolve-host.js';
import { toTransportFailure } from './transport-failure.js';

/** A request, or one of its redirects. */
export interface Hop {
  readonly request: HttpRequest;
  readonly options: HttpClientOptions;
  readonly deadline: AbortSignal;
  readonly isFirst: boolean;
}

/** A failure after the first hop: the request before it was sent. */
export async function atHop<T>({ isFirst }: Hop, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isFirst || !(error instanceof HttpFailure) || error.sent) throw error;
    throw new HttpFailure(error.code, `The request was redirected. ${error.message}`, true);
  }
}

/** @throws {HttpFailure} @throws the reason of the request's signal */
export async function sendOnce(hop: Hop, target: CheckedUrl, parts: RequestParts): Promise<HttpResponse> {
  const { request, options, deadline, isFirst } = hop;
  const failure = (error: unknown, sent: boolean) =>
    toTransportFailure(error, { host: target.host, signal: request.signal, deadline, options, sent: sent || !isFirst });
  let addresses: readonly string[];
  try {
    addresses = await atHop(hop, () => resolveHost(target, options.lookup ?? lookupBySystem, deadline));
    if (target.url.protocol === 'http:') checkSecrets(hop, target, addresses, parts);
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

/** Secrets are sent without encryption only within a private network. @throws {HttpFailure} */
function checkSecrets(
  { request, isFirst }: Hop,
  { host }: CheckedUrl,
  addresses: readonly string[],
  { headers }: RequestParts,
): void {
  const hasSecretHeader = request.secretHeaders?.some((name) => name in headers) ?? false;
  const hasSecret = hasSecretHeader || (isFirst && request.hasSecretUrl === true);
  if (!hasSecret || addresses.every((address) => classifyAddress(address) !== 'public')) return;
  const message = `The request to ${host} was not sent: it has a secret, and http has no encryption. Use https.`;
  throw new HttpFailure('secret_not_sent', message, !isFirst);
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
