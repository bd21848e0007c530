/**
 * Who may ask a codec server, which gives what is sealed in plain.
 *
 * 1. A page in a browser only from an origin that was named, letter for letter; others are not even let to try.
 * 2. Without a token only this machine: the server listens there alone, and takes no request that was meant for another
 *    name, as those of a page are whose own name was pointed here (DNS rebinding).
 * 3. A token is compared in constant time.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

export interface CodecAccess {
  /** Of the pages that may ask: `http://127.0.0.1:8233`. */
  readonly origins: readonly string[];
  /** What others than loopback's must bring; null lets all of loopback in. */
  readonly token: string | null;
}

export type AccessRefusal = { readonly status: 401 | 403; readonly message: string };

const loopbackPattern = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

export function isLoopback(host: string): boolean {
  return host === '::1' || loopbackPattern.test(host);
}

/** Null for who may ask. A preflight carries no token: a browser sends that only once it has been let. */
export function findAccessRefusal(
  headers: IncomingHttpHeaders,
  access: CodecAccess,
  preflight: boolean,
): AccessRefusal | null {
  const { origin, host = '', authorization = '' } = headers;
  if (origin !== undefined && !access.origins.includes(origin)) {
    return { status: 403, message: 'This page may not ask here: name its origin when the codec server is started.' };
  }
  if (access.token === null) {
    if (loopbackPattern.test(host)) return null;
    return { status: 403, message: 'Only this machine may ask here, by 127.0.0.1 or localhost.' };
  }
  if (preflight || isSameToken(authorization, `Bearer ${access.token}`)) return null;
  return { status: 401, message: 'A bearer token is needed here, as the codec server was given it.' };
}

/** What lets a browser give the answer to the page. */
export function toCorsHeaders(headers: IncomingHttpHeaders, { origins }: CodecAccess): OutgoingHttpHeaders {
  const { origin } = headers;
  const vary = { vary: 'Origin, Access-Control-Request-Private-Network' };
  if (origin === undefined || !origins.includes(origin)) return vary;
  const isLocal = headers['access-control-request-private-network'] === 'true';
  return {
    ...vary,
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': 'Authorization, Authorization-Extras, Content-Type, X-Namespace',
    'access-control-max-age': '600',
    ...(isLocal ? { 'access-control-allow-private-network': 'true' } : {}),
  };
}

function isSameToken(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
