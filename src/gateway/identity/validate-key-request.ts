/**
 * Checks the request for a new API key, and completes it.
 *
 * 1. A key that is created over HTTP gives nothing that its creator lacks: tenant, user, scopes, roles, views, reach, rate,
 *    time. Else the scope `admin` would be all scopes. A token is renewed by its issuer, which can also withdraw its owner's access:
 *    its keys need a time of their own, of at most 90 days.
 * 2. The user is part of that: a person with two names could approve twice. Keys for other users are created by a service
 *    without a user, or with the command line.
 * 3. A combination that could never work is an error, not a key that fails later.
 */

import { LonghandError } from '../../core/lib/index.js';
import { isNameless } from '../../core/model/index.js';
import { isScope, scopes as knownScopes, type Scope } from '../../http/index.js';
import { type Duration, parseDuration } from '../../options/index.js';
import type { KeyGrant } from '../../store/index.js';
import type { Identity } from './identity.js';

export interface KeyRequest {
  readonly name: string;
  /** Null for all tenants. */
  readonly tenant: string | null;
  /** Null for a service. */
  readonly user: string | null;
  readonly scopes: readonly string[];
  /** Default: none for a user; for a service those of the creator, or null: the caller states them. */
  readonly roles?: readonly string[] | undefined;
  /** Default: `end_user`, or the first view of a creator that lacks it. */
  readonly views?: readonly string[] | undefined;
  /** Default: `own` for a user, `all` for a service. */
  readonly reach?: 'own' | 'all' | undefined;
  /** Default: that of the creator. */
  readonly requestsPerMinute?: number | undefined;
  /** Milliseconds since 1970. Default: that of the creator. Required where the creator is renewed, as a token is. */
  readonly expiresAt?: number | undefined;
}

export interface KeyCreator {
  readonly identity: Identity;
  /** Of the gateway, for identities and keys without a number of their own. */
  readonly defaultRequestsPerMinute: number;
}

export type PlannedKey = KeyGrant & { readonly name: string };

/**
 * @param creator null for the command line, whose caller has the whole store
 * @throws {LonghandError} `invalid_options`, `key_not_permitted`
 */
export function validateKeyRequest(request: KeyRequest, creator: KeyCreator | null, now: number): PlannedKey {
  const { name, tenant, user } = request;
  const identity = creator?.identity ?? null;
  checkName('name', name);
  if (tenant !== null) checkName('tenant', tenant);
  if (user !== null) checkName('user', user);
  const scopes = checkScopes(request.scopes);
  const [firstView = findDefaultView(identity), ...otherViews] = request.views ?? [];
  const views = [firstView, ...otherViews] as const;
  for (const view of views) checkName('view', view);
  for (const role of request.roles ?? []) checkName('role', role);
  if (views.includes('auditor') && !scopes.includes('audit'))
    throw invalid(
      'The view auditor needs the scope audit: it shows unmasked content. Add the scope, or omit the view.',
    );
  const reach = request.reach ?? (user === null ? 'all' : 'own');
  if (user === null && reach === 'own')
    throw invalid('Reach own needs a user: a service has no chains of its own. Name the user, or use reach all.');
  const expiresAt = request.expiresAt ?? (identity === null ? null : findExpiry(identity));
  if (expiresAt !== null && expiresAt <= now)
    throw invalid(`The expiry ${new Date(expiresAt).toISOString()} is in the past. Use a later time.`);
  const planned: PlannedKey = {
    name,
    tenant,
    user,
    scopes: [...new Set(scopes)],
    views,
    reach,
    expiresAt,
    roles: request.roles ?? (user === null ? (identity?.roles ?? null) : []),
    requestsPerMinute: request.requestsPerMinute ?? identity?.requestsPerMinute ?? null,
  };
  if (creator !== null) checkWithin(planned, creator, now);
  return planned;
}

/** Returns the expiry of a key that states none. @throws {LonghandError} `invalid_options` */
function findExpiry({ expiresAt }: Identity): number | null {
  if (expiresAt !== undefined) return expiresAt;
  throw invalid(
    'This credential is renewed by its issuer, and a key is not. State when the key expires: `expiresAfter`, at most 90d.',
  );
}

function findDefaultView(creator: Identity | null): string {
  return creator === null || creator.views.includes('end_user') ? 'end_user' : creator.views[0];
}

/** Longest time of a key whose creator is renewed. */
const maxRenewedMs = 90 * 86_400_000;

/** Dates end in the year 275760. */
const maxLifetimeMs = 100 * 365 * 86_400_000;

/** Parses the lifetime of a key to milliseconds. @param label how errors name it @throws {LonghandError} `invalid_options` */
export function parseKeyLifetime(lifetime: number | string, label: string): number {
  const ms = parseDuration(lifetime as Duration, label);
  if (ms <= maxLifetimeMs) return ms;
  throw invalid(
    `Invalid ${label} ${lifetime}: expected at most 100 years, such as 90d. Omit it for a key that does not expire.`,
  );
}

const maxNameLength = 200;

/** Names are printed in lists, logs and the audit log. */
function checkName(what: string, name: string): void {
  if (name.length > maxNameLength || isNameless(name) || /\p{Cc}/u.test(name)) {
    throw invalid(`Invalid ${what} ${JSON.stringify(name.slice(0, 100))}: expected 1 to 200 visible characters.`);
  }
}

function checkScopes(names: readonly string[]): readonly Scope[] {
  const known = names.filter(isScope);
  const unknown = names.find((name) => !isScope(name));
  if (unknown === undefined && known.length > 0) return known;
  const problem =
    unknown === undefined ? 'A key needs a scope.' : `Invalid scope ${JSON.stringify(unknown.slice(0, 100))}.`;
  throw invalid(`${problem} Use any of ${knownScopes.join(', ')}.`);
}

/** Invariant 1. */
function checkWithin(key: PlannedKey, { identity, defaultRequestsPerMinute }: KeyCreator, now: number): void {
  const { tenant, user, scopes, roles, views, reach, requestsPerMinute } = identity;
  const { expiresAt = now + maxRenewedMs } = identity;
  const missing = key.scopes.find((scope) => !isScope(scope) || !scopes.has(scope));
  if (missing !== undefined) reject(`the scope ${missing}`);
  if (tenant !== null && key.tenant !== tenant) reject(key.tenant === null ? 'all tenants' : `tenant ${key.tenant}`);
  if (user !== null && key.user !== user) reject(key.user === null ? 'any user' : `user ${key.user}`);
  if (reach === 'own' && key.reach === 'all') reject('the chains of other users');
  if (roles !== null) {
    const role = key.roles === null ? 'any role' : key.roles.find((candidate) => !roles.includes(candidate));
    if (role !== undefined) reject(key.roles === null ? role : `the role ${role}`);
  }
  const view = key.views.find((candidate) => !views.includes(candidate));
  if (view !== undefined) reject(`the view ${view}`);
  // Without a number of its own, the key has the default of its gateway, as its creator has then.
  const mostRequests = requestsPerMinute ?? defaultRequestsPerMinute;
  if (key.requestsPerMinute === null ? requestsPerMinute !== null : key.requestsPerMinute > mostRequests)
    reject(`more than ${mostRequests} requests per minute`);
  if (expiresAt !== null && (key.expiresAt ?? Number.POSITIVE_INFINITY) > expiresAt)
    reject(`access after ${new Date(expiresAt).toISOString()}`);
}

function reject(what: string): never {
  throw new LonghandError(
    'key_not_permitted',
    `The key would give ${what}, which your credential lacks. Omit it, or create the key with a stronger credential.`,
  );
}

function invalid(message: string): LonghandError {
  return new LonghandError('invalid_options', message);
}
