/** Finds the identity of a request. Each way of authentication is one function; the first that applies decides. */

import type { Identity } from './identity.js';

/** Why a credential was rejected. The answer does not name the reason; the log does. */
export interface AuthenticationFailure {
  /** `unavailable`: it could not be checked now; it may be valid. */
  readonly reason: 'unknown' | 'expired' | 'revoked' | 'malformed' | 'unverified' | 'unavailable';
  /** For the log, about the configuration or the token's claims. Never a part of a credential. */
  readonly detail?: string;
}

/** Returns null if the request carries no credential of this kind. */
export type Authenticate = (request: Request) => Promise<Identity | AuthenticationFailure | null>;

export function isAuthenticationFailure(result: Identity | AuthenticationFailure): result is AuthenticationFailure {
  return 'reason' in result;
}

export interface IdentifyOptions {
  /** In order. A custom function of the embedding application can be one of them. */
  readonly authenticators: readonly Authenticate[];
}

/**
 * Returns one function that finds the identity of a request: the first authenticator that applies decides, so a rejected
 * credential is never tried as another kind.
 *
 * @example
 * createIdentify({ authenticators: [readSessionOfMyApp, createKeyAuthenticator({ keys })] })
 */
export function createIdentify({ authenticators }: IdentifyOptions): Authenticate {
  return async (request) => {
    for (const authenticate of authenticators) {
      const result = await authenticate(request);
      if (result !== null) return result;
    }
    return null;
  };
}
