/**
 * Checks the wish for a new API key, and completes it.
 *
 * 1. A key that is created over HTTP gives nothing that its creator lacks: tenant, user, scopes, roles, views, reach, rate,
 *    time. Else the scope `admin` would be all scopes.
 * 2. The user is part of that: a person with two names could approve twice. Keys for other users are created by a service
 *    without a user, or with the command line.
 * 3. A combination that could never work is an error, not a key that fails later.
 */

import { LonghandError } from '../../core/lib/errors.js';
import { isNameless } from '../../core/model/identity.js';
import { isScope, scopes as knownScopes, type Scope } from '../../http/operation.js';
import type { KeyGrant } from '../../store/keys/key-store.js';
import type { Identity } from './identity.js';
import { defaultRequestsPerMinute } from './rate-limits.js';

export interface KeyWish {
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
  /** Milliseconds since 1970. Default: that of the creator. */
  readonly expiresAt?: number | undefined;
}

export type PlannedKey = KeyGrant & { readonly name: string };

/**
 * @param creator null for the command line, whose caller has the whole store
 * @throws {LonghandError} `invalid_options`, `key_not_permitted`
 */
export function planKey(wish: KeyWish, creator: Identity | null, now: number): PlannedKey {
  const { name, tenant, user } = wish;
  checkName('name', name);
  if (tenant !== null) checkName('tenant', tenant);
  if (user !== null) checkName('user', user);
  const scopes = checkScopes(wish.scopes);
  const [firstView = findDefaultView(creator), ...otherViews] = wish.views ?? [];
  const views = [firstView, ...otherViews] as const;
  for (const view of views) checkName('view', view);
  for (const role of wish.roles ?? []) checkName('role', role);
  if (views.includes('auditor') && !scopes.includes('audit'))
    throw invalid(
      'The view auditor needs the scope audit: it shows unmasked content. Add the scope, or omit the view.',
    );
  const reach = wish.reach ?? (user === null ? 'all' : 'own');
  if (user === null && reach === 'own')
    throw invalid('Reach own needs a user: a service has no chains of its own. Name the user, or use reach all.');
  const expiresAt = wish.expiresAt ?? creator?.expiresAt ?? null;
  if (expiresAt !== null && expiresAt <= now)
    throw invalid(`The expiry ${new Date(expiresAt).toISOString()} is in the past. Use a later time.`);
  const planned: PlannedKey = {
    ...{ name, tenant, user, scopes: [...new Set(scopes)], views, reach, expiresAt },
    roles: wish.roles ?? (user === null ? (creator?.roles ?? null) : []),
    requestsPerMinute: wish.requestsPerMinute ?? creator?.requestsPerMinute ?? null,
  };
  if (creator !== null) checkWithin(planned, creator);
  return planned;
}

function findDefaultView(creator: Identity | null): string {
  return creator === null || creator.views.includes('end_user') ? 'end_user' : creator.views[0];
}

const maxNameLength = 200;

/** Names are printed in lists, logs and the audit log. */
function checkName(what: string, name: string): void {
  if (name.length > maxNameLength || isNameless(name) || /\p{Cc}/u.test(name)) {
    throw invalid(`Invalid ${what} ${JSON.stringify(name.slice(0, 100))}: expected 1 to 200 visible characters.`);
  }
}

function checkScopes(given: readonly string[]): readonly Scope[] {
  const known = given.filter(isScope);
  const unknown = given.find((name) => !isScope(name));
  if (unknown === undefined && known.length > 0) return known;
  const wrong =
    unknown === undefined ? 'A key needs a scope.' : `Invalid scope ${JSON.stringify(unknown.slice(0, 100))}.`;
  throw invalid(`${wrong} Use any of ${knownScopes.join(', ')}.`);
}

/** Invariant 1. */
function checkWithin(key: PlannedKey, creator: Identity): void {
  const { tenant, user, scopes, roles, views, reach, requestsPerMinute, expiresAt = null } = creator;
  const missing = key.scopes.find((scope) => !isScope(scope) || !scopes.has(scope));
  if (missing !== undefined) reject(`the scope ${missing}`);
  if (tenant !== null && key.tenant !== tenant) reject(key.tenant === null ? 'all tenants' : `tenant ${key.tenant}`);
  if (user !== null && key.user !== user) reject(key.user === null ? 'any user' : `user ${key.user}`);
  if (reach === 'own' && key.reach === 'all') reject('the chains of other users');
  if (roles !== null) {
    const role = key.roles === null ? 'any role' : key.roles.find((each) => !roles.includes(each));
    if (role !== undefined) reject(key.roles === null ? role : `the role ${role}`);
  }
  const view = key.views.find((each) => !views.includes(each));
  if (view !== undefined) reject(`the view ${view}`);
  // Without a number of its own, the key has the default of its gateway, as its creator has then.
  const mostRequests = requestsPerMinute ?? creator.defaultRequestsPerMinute ?? defaultRequestsPerMinute;
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
