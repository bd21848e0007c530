/**
 * Headers of cross-origin requests (CORS): an allow list of exact origins.
 *
 * Credentials are in the header `authorization`, which a page must set itself. Cookies are never used, so
 * `access-control-allow-credentials` is never sent, and a page without the key has no access through another one's session.
 */

import { LonghandError } from '../../core/lib/index.js';

const allowedHeaders = ['authorization', 'content-type', 'idempotency-key', 'last-event-id', 'range', 'ai-sdk-version'];
const allowedMethods = ['GET', 'POST', 'PUT', 'DELETE'];
/** What a page may read, in addition to the few that browsers always show. */
const exposedHeaders = [
  ...['content-disposition', 'content-range', 'accept-ranges', 'etag', 'location', 'retry-after'],
  ...['www-authenticate', 'x-vercel-ai-ui-message-stream'],
];

export interface CorsAnswer {
  /** `preflight`: answer with 204 and these headers alone. `actual`: add them to the answer. */
  readonly kind: 'preflight' | 'actual';
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Parses the allow list: exact origins, as browsers send them.
 *
 * @throws {LonghandError} `invalid_options` for a pattern, and for a URL with a path
 */
export function parseOrigins(origins: readonly string[]): readonly string[] {
  return origins.map((origin) => {
    const normal = origin.toLowerCase();
    if (originPattern.test(normal)) return removeDefaultPort(normal);
    const fix = origin.includes('*')
      ? 'List each origin: patterns are not supported.'
      : 'Omit the path and the last slash.';
    throw new LonghandError(
      'invalid_options',
      `Invalid origin ${JSON.stringify(origin)}: expected the form https://app.acme.com or http://localhost:3000. ${fix}`,
    );
  });
}

/** Any scheme: apps on phones have their own, such as `capacitor://localhost`. */
const originPattern = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;

/** Browsers omit the port of the scheme. */
function removeDefaultPort(origin: string): string {
  return origin.replace(/^(https:.*):443$/, '$1').replace(/^(http:.*):80$/, '$1');
}

/** @param origins as `parseOrigins` returns them */
export function answerCors(
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  origins: readonly string[],
): CorsAnswer {
  const origin = headers.get('origin');
  const isPreflight = method === 'OPTIONS' && origin !== null && headers.has('access-control-request-method');
  const kind = isPreflight ? 'preflight' : 'actual';
  if (origins.length === 0) return { kind, headers: {} };
  // A cache must not give the answer for one origin to another.
  const vary = {
    vary: isPreflight ? 'origin, access-control-request-method, access-control-request-headers' : 'origin',
  };
  if (origin === null || !origins.includes(origin)) return { kind, headers: vary };
  const allowed = { ...vary, 'access-control-allow-origin': origin };
  if (!isPreflight)
    return { kind, headers: { ...allowed, 'access-control-expose-headers': exposedHeaders.join(', ') } };
  return {
    kind,
    headers: {
      ...allowed,
      'access-control-allow-methods': allowedMethods.join(', '),
      'access-control-allow-headers': allowedHeaders.join(', '),
      'access-control-max-age': '600',
    },
  };
}
