/**
 * Access control of the codec server, which returns decrypted payloads.
 *
 * 1. A browser page is allowed only from a configured origin, compared exactly; other origins fail already in the
 *    preflight.
 * 2. Without a token only this machine is allowed: the server listens on loopback only and rejects requests for other
 *    host names, which a page sends whose own name was pointed here (DNS rebinding).
 * 3. A token is compared in constant time.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

export interface CodecAccess {
  /** Allowed origins of browser pages: `http://127.0.0.1:8233`. */
  readonly origins: readonly string[];
  /** Required bearer token; null allows all requests from loopback. */
  readonly token: string | null;
}

export type AccessRejection = { readonly status: 401 | 403; readonly message: string };

const loopbackPattern = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

export function isLoopback(host: string): boolean {
  return host === '::1' || loopbackPattern.test(host);
}

/**
 * Returns why a request is rejected; null if it is allowed. A preflight has no token: browsers send it only afterwards.
 */
export function findAccessRejection(
  headers: IncomingHttpHeaders,
  access: CodecAccess,
  preflight: boolean,
): AccessRejection | null {
  const { origin, host = '', authorization = '' } = headers;
  if (origin !== undefined && !access.origins.includes(origin)) {
    return { status: 403, message: "The page's origin is not allowed. Start the codec server with this origin." };
  }
  if (access.token === null) {
    if (loopbackPattern.test(host)) return null;
    return { status: 403, message: 'Only this machine is allowed, as 127.0.0.1 or localhost.' };
  }
  if (preflight || isSameToken(authorization, `Bearer ${access.token}`)) return null;
  return { status: 401, message: 'A bearer token is required: the token that the codec server was started with.' };
}

/** Returns the CORS headers that let the page read the answer. */
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

function isSameToken(token: string, expectedToken: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(token), digest(expectedToken));
}
