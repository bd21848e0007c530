/**
 * Admits or rejects a request before its operation is known, by its caller, its source and its rate.
 *
 * 1. Without any authentication, only this machine is served (local.ts).
 * 2. An address that sent many wrong credentials may send no new ones for a while. Credentials that were accepted before
 *    still are: clients behind one proxy share an address, and one of them must not lock out the others.
 * 3. Without the header `authorization`, only a cookie can be the credential: no page of another site may use it.
 * 4. The answer never names the reason of a rejection: it would help to find a valid key. The log gets it.
 */

import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { GatewayCode } from '../../http/index.js';
import { type Authenticate, isAuthenticationFailure } from './authenticate.js';
import { isCrossSite } from './cross-site.js';
import type { Identity } from './identity.js';
import {
  checkLocalSource,
  type LocalSourceOptions,
  localIdentity,
  type SourceRejection,
  sourceRejections,
} from './local.js';
import type { RateLimits } from './rate-limits.js';

interface Rejection {
  readonly kind: 'rejected';
  readonly code: Extract<
    GatewayCode,
    'unauthenticated' | 'host_rejected' | 'origin_rejected' | 'too_many_requests' | 'not_ready'
  >;
  /** For the client: the problem and the fix. */
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the log. Null if the code is all there is. */
  readonly reason: string | null;
}

type Admission = { readonly kind: 'admitted'; readonly identity: Identity } | Rejection;

/**
 * @param address of the client; null if the server does not pass it: then wrong credentials are not limited
 * @param peer address of the other end of the connection, which may be a proxy. Default: that of the client
 */
export type AuthenticateAndLimit = (
  request: Request,
  address: string | null,
  peer?: string | null,
) => Promise<Admission>;

export interface AuthenticateAndLimitOptions extends LocalSourceOptions {
  /** Null for a gateway without authentication, which serves this machine alone. */
  readonly identify: Authenticate | null;
  readonly limits: RateLimits;
}

const maxKnownCredentials = 10_000;
/** Milliseconds. */
const knownFor = 600_000;

export function createAuthenticateAndLimit({
  identify,
  limits,
  origins,
  allowUnknownPeer,
}: AuthenticateAndLimitOptions): AuthenticateAndLimit {
  const known = new LRUCache<string, true>({ max: maxKnownCredentials, ttl: knownFor });

  const admit = async (identity: Identity): Promise<Admission> => {
    const rate = await limits.consume(identity);
    return rate.allowed ? { kind: 'admitted', identity } : rejectForRate('Too many requests.', rate.retryAfterSeconds);
  };

  return async (request, address, peer = address) => {
    if (identify === null) {
      const rejected = checkLocalSource(request, { origins, allowUnknownPeer }, peer);
      return rejected === null ? admit(localIdentity) : rejectSource(rejected);
    }
    const header = request.headers.get('authorization');
    if (header === null && isCrossSite(request, origins)) return rejectSource(sourceRejections.origin);
    const digest = header === null ? null : createHash('sha256').update(header).digest('base64url');
    // Without such a header, nothing can be guessed.
    const isLimited = address !== null && digest !== null;
    if (isLimited && !known.has(digest)) {
      const rate = await limits.checkAddress(address);
      if (!rate.allowed) return rejectForRate('Too many wrong credentials from this address.', rate.retryAfterSeconds);
    }
    const result = await identify(request);
    if (result !== null && !isAuthenticationFailure(result)) {
      if (digest !== null) known.set(digest, true);
      return admit(result);
    }
    if (result?.reason === 'unavailable') return rejectUnavailable(result.detail);
    if (digest !== null) known.delete(digest);
    if (isLimited) await limits.recordFailure(address);
    return rejectCredential(digest !== null, result === null ? null : formatReason(result.reason, result.detail));
  };
}

function formatReason(reason: string, detail: string | undefined): string {
  return detail === undefined ? reason : `${reason}: ${detail}`;
}

function rejectCredential(wasSent: boolean, reason: string | null): Rejection {
  const message = wasSent
    ? 'The credential is not valid. Use a valid API key or token.'
    : 'Send an API key or a token: `authorization: Bearer …`.';
  // RFC 6750: no error code for a request without a credential.
  const challenge = wasSent ? 'Bearer realm="longhand", error="invalid_token"' : 'Bearer realm="longhand"';
  return { kind: 'rejected', code: 'unauthenticated', message, headers: { 'www-authenticate': challenge }, reason };
}

function rejectUnavailable(detail: string | undefined): Rejection {
  return {
    kind: 'rejected',
    code: 'not_ready',
    message: 'The credential cannot be checked now. Try again.',
    headers: { 'retry-after': '5' },
    reason: formatReason('unavailable', detail),
  };
}

function rejectForRate(problem: string, seconds: number): Rejection {
  return {
    kind: 'rejected',
    code: 'too_many_requests',
    message: `${problem} Try again in ${seconds} s.`,
    headers: { 'retry-after': `${seconds}` },
    reason: null,
  };
}

function rejectSource(rejection: SourceRejection): Rejection {
  return { kind: 'rejected', ...rejection, headers: {}, reason: null };
}
