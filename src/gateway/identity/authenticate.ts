/** Finds the identity of a request. Each way of authentication is one function; the first that applies decides. */

import type { Identity } from './identity.js';

/** Why a credential was rejected. The answer does not name the reason; the log does. */
export interface AuthenticationFailure {
  readonly reason: 'unknown' | 'expired' | 'revoked' | 'malformed' | 'unverified' | 'unavailable';
}

/** Returns null where the request carries no credential of this kind. */
export type Authenticate = (request: Request) => Promise<Identity | AuthenticationFailure | null>;

export function isAuthenticationFailure(found: Identity | AuthenticationFailure): found is AuthenticationFailure {
  return 'reason' in found;
}
