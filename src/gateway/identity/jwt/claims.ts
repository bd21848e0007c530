/** The claims of a verified token as an identity. A claim that is missing or has another type is never guessed. */

import type { JWTPayload } from 'jose';
import { findOwn, isObject, type Json, type JsonObject } from '../../../core/lib/index.js';
import { isNameless } from '../../../core/model/index.js';
import { isScope, type Scope } from '../../../http/index.js';
import type { Identity } from '../identity.js';
import type { ClaimPath, TokenIssuer } from './issuers.js';

/** A claim that cannot be used. The message is for the log, and names no value of the token. */
export class ClaimError extends Error {
  override readonly name = 'ClaimError';
}

/** @throws {ClaimError} */
export function toTokenIdentity(payload: JWTPayload, issuer: TokenIssuer): Identity {
  const claims = payload as unknown as JsonObject;
  const { claims: paths, defaults, requestsPerMinute } = issuer;
  const tenant = issuer.tenant === undefined ? readName(claims, paths.tenant, 'tenant') : issuer.tenant;
  const user = issuer.user === null ? null : readName(claims, paths.user, 'user');
  const subject = user ?? findSubject(claims);
  const roles = readNames(claims, paths.roles, 'roles') ?? defaults.roles;
  const [view = 'end_user', ...views] = readNames(claims, paths.views, 'views') ?? defaults.views;
  const id = formatTokenId([issuer.issuer, tenant, subject]);
  return {
    id,
    by: user ?? id,
    tenant,
    user,
    roles,
    requestsPerMinute,
    scopes: new Set(toScopes(readNames(claims, paths.scopes, 'scopes') ?? defaults.scopes, issuer.scopePrefix)),
    views: [view, ...views],
    reach: user === null ? 'all' : issuer.reach,
  };
}

/** Names of scopes that Longhand does not know are for other programs. */
function toScopes(names: readonly string[], prefix: string): readonly Scope[] {
  return names.flatMap((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : [])).filter(isScope);
}

/** Of a service: its name in logs and commands. */
function findSubject(claims: JsonObject): string | null {
  const { sub } = claims;
  return typeof sub === 'string' && isName(sub) ? sub : null;
}

/**
 * Returns the id of an identity. Requests, streams and votes are counted by it, so no two callers may share one: spaces in names
 * are encoded, and the issuer is exact. An issuer has a tenant in all of its tokens or in none.
 */
function formatTokenId(parts: readonly (string | null)[]): string {
  const names = parts.filter((part) => part !== null);
  return ['jwt', ...names.map((name) => name.replace(/[% ]/g, encodeURIComponent))].join(' ');
}

function readName(claims: JsonObject, path: ClaimPath | null, what: string): string {
  const value = path === null ? undefined : findClaim(claims, path);
  const name = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof name === 'string' && isName(name)) return name;
  throw new ClaimError(`the claim for ${what} is ${value === undefined ? 'missing' : 'not a name'}`);
}

/** A list, or one text with spaces, as the claim `scope` is (RFC 8693). Null if the token has no such claim. */
function readNames(claims: JsonObject, path: ClaimPath | null, what: string): readonly string[] | null {
  const value = path === null ? undefined : findClaim(claims, path);
  if (value === undefined) return null;
  const names = typeof value === 'string' ? value.split(' ').filter((name) => name !== '') : value;
  if (
    Array.isArray(names) &&
    names.length <= maxNames &&
    names.every((name) => typeof name === 'string' && isName(name))
  )
    return names as readonly string[];
  throw new ClaimError(`the claim for ${what} is not a list of names`);
}

const maxNames = 1_000;

function isName(text: string): boolean {
  return text.length <= 200 && !isNameless(text) && !/\p{Cc}/u.test(text);
}

function findClaim(claims: JsonObject, path: ClaimPath): Json | undefined {
  let value: Json | undefined = claims;
  for (const name of path) value = isObject(value) ? findOwn<Json>(value, name) : undefined;
  return value;
}
