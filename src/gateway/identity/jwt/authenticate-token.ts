/**
 * Authentication by JSON Web Tokens of configured issuers.
 *
 * 1. The unverified `iss` only chooses the issuer. Its own keys, audience and algorithms then verify the token, so a token of
 *    one issuer is never verified with the keys of another.
 * 2. The algorithm must be in the allow list before a key is chosen: `none` and shared secrets are never in it.
 * 3. `exp` is required, and `nbf` is checked. A token of the future or with an endless `exp` is an error of its issuer: it would
 *    be valid for as long as its key.
 */

import { createLocalJWKSet, decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { keyPrefix } from '../api-key.js';
import type { Authenticate, AuthenticationFailure } from '../authenticate.js';
import { readBearer } from '../bearer.js';
import { ClaimError, toTokenIdentity } from './claims.js';
import { type TokenIssuer, toTokenIssuers } from './issuers.js';
import { createRemoteKeys, KeysUnavailableError, type RemoteKeysOptions } from './key-set.js';
import type { JwtIssuer } from './options.js';

export interface TokenAuthenticatorOptions {
  readonly issuers: readonly JwtIssuer[];
  readonly remoteKeys?: RemoteKeysOptions;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface KnownIssuer extends TokenIssuer {
  readonly getKey: JWTVerifyGetKey;
}

/** @throws {LonghandError} `invalid_options` for an invalid issuer */
export function createTokenAuthenticator(options: TokenAuthenticatorOptions): Authenticate {
  const { issuers, remoteKeys = {}, now = Date.now } = options;
  const known = new Map<string, KnownIssuer>(
    toTokenIssuers(issuers).map((issuer) => [
      issuer.issuer,
      { ...issuer, getKey: createKeys(issuer, { now, ...remoteKeys }) },
    ]),
  );
  return async (request) => {
    const token = readBearer(request);
    if (token === null || token.startsWith(keyPrefix) || !tokenPattern.test(token)) return null;
    const issuer = known.get(readIssuer(token) ?? '');
    if (issuer === undefined) return { reason: 'unverified', detail: 'no configured issuer' };
    try {
      return toTokenIdentity(await verify(token, issuer, now()), issuer);
    } catch (error) {
      return toFailure(error);
    }
  };
}

/** Three parts. The signature of an unsigned token is empty: it is a token, and rejected as one. */
const tokenPattern = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;

function createKeys({ keys }: TokenIssuer, options: RemoteKeysOptions): JWTVerifyGetKey {
  return keys.kind === 'url' ? createRemoteKeys(keys.url, options) : createLocalJWKSet({ keys: [...keys.keys] });
}

function readIssuer(token: string): string | null {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' ? iss : null;
  } catch {
    return null;
  }
}

async function verify(token: string, issuer: KnownIssuer, now: number): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token, issuer.getKey, {
    issuer: issuer.issuer,
    audience: [...issuer.audience],
    algorithms: [...issuer.algorithms],
    clockTolerance: issuer.clockToleranceMs / 1_000,
    currentDate: new Date(now),
    requiredClaims: ['exp'],
    ...(issuer.type === null ? {} : { typ: issuer.type }),
  });
  checkTimes(payload, now, issuer.clockToleranceMs);
  return payload;
}

const maxLifetimeYears = 10;
const maxLifetimeMs = maxLifetimeYears * 365 * 24 * 60 * 60_000;

/** Checks what `jwtVerify` accepts: any past or future of a claim that is a number. @throws {ClaimError} */
function checkTimes({ iat, exp }: JWTPayload, now: number, clockToleranceMs: number): void {
  if (iat !== undefined && !(iat * 1_000 <= now + clockToleranceMs))
    throw new ClaimError('the claim iat is in the future');
  if (!(Number(exp) * 1_000 <= now + maxLifetimeMs + clockToleranceMs))
    throw new ClaimError(`the claim exp is more than ${maxLifetimeYears} years ahead`);
}

/** The detail names the check, never a value of the token. */
function toFailure(error: unknown): AuthenticationFailure {
  if (error instanceof KeysUnavailableError) return { reason: 'unavailable', detail: error.message };
  if (error instanceof ClaimError) return { reason: 'unverified', detail: error.message };
  if (error instanceof errors.JWTExpired) return { reason: 'expired' };
  if (error instanceof errors.JWTClaimValidationFailed)
    return { reason: 'unverified', detail: `claim ${error.claim} ${error.reason}` };
  // A key that does not fit the algorithm is a TypeError.
  return { reason: 'unverified', detail: error instanceof errors.JOSEError ? error.code : 'the key does not fit' };
}
