/** The caller of a request: decided once, by an API key, a token or the loopback address, and used by every route. */

import { LonghandError } from '../../core/lib/index.js';
import { createViewer, type Viewer } from '../../core/view/index.js';
import type { Scope } from '../../http/index.js';

export interface Identity {
  /** Names the credential in logs, limits and the audit log: `key 7f3a9c`, `jwt https://auth.acme.com acme ana`, `local`. Not secret. */
  readonly id: string;
  /** Name in commands that the caller sends. */
  readonly by: string;
  /** Tenant of all chains that it starts and reaches; null for all tenants. */
  readonly tenant: string | null;
  /** User of chains that it starts; null for a service, which states the user. */
  readonly user: string | null;
  /** Roles in commands, and of chains that it starts; null for a service, which states them. */
  readonly roles: readonly string[] | null;
  readonly scopes: ReadonlySet<Scope>;
  /** Roles of viewers that it may read as; the first is the default. `auditor` also needs the scope `audit`. */
  readonly views: readonly [string, ...string[]];
  /** `own`: only chains that run for its user. */
  readonly reach: 'own' | 'all';
  /** Requests per minute; null for the gateway's default. */
  readonly requestsPerMinute: number | null;
  /**
   * When the credential expires, in milliseconds since 1970; null for one that does not. Absent for one that is renewed, such as
   * a token or a session: the API keys that it creates need a time of their own, of at most 90 days.
   */
  readonly expiresAt?: number | null;
}

/** Returns the viewer of a request. @throws {LonghandError} `not_visible` for a role that the identity may not read as */
export function toViewer(
  identity: Identity,
  role: string = identity.views[0],
  expanded: Viewer['expanded'] = [],
): Viewer {
  const { views, scopes, tenant, user } = identity;
  if (!views.includes(role) || (role === 'auditor' && !scopes.has('audit'))) {
    throw new LonghandError(
      'not_visible',
      `This credential may not read as ${JSON.stringify(role)}. Use one of: ${views.join(', ')}.`,
    );
  }
  return createViewer(role, { tenant, user, expanded });
}

/** Whether a chain of this tenant and user is within the reach of an identity. A chain out of reach is reported as missing. */
export function canReach(
  { tenant, user, reach }: Pick<Identity, 'tenant' | 'user' | 'reach'>,
  chain: { readonly tenant: string | null; readonly user: string | null },
): boolean {
  if (tenant !== null && chain.tenant !== tenant) return false;
  return reach === 'all' || (user !== null && chain.user === user);
}
