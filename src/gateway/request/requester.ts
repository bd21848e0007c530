/**
 * Tenant, user and roles of a request: those that its credential fixes, else those that it states. A request that states others
 * than its credential fixes is rejected.
 */

import { createHash } from 'node:crypto';
import type { Identity } from '../identity/identity.js';
import { GatewayError } from './problems.js';

interface Stated {
  readonly tenant?: string | undefined;
  readonly user?: string | undefined;
  readonly roles?: readonly string[] | undefined;
}

interface StatedSender extends Pick<Stated, 'roles'> {
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
}

export interface Requester {
  readonly tenant: string | undefined;
  readonly user: string | undefined;
  readonly roles: readonly string[] | undefined;
}

/** Returns tenant, user and roles of a start. @throws {GatewayError} `request_invalid` */
export function resolveRequester(identity: Identity, { tenant, user, roles }: Stated): Requester {
  return {
    tenant: resolveFixed('tenant', identity.tenant, tenant),
    user: resolveFixed('user', identity.user, user),
    roles: identity.roles === null ? roles : resolveRoles(identity.roles, roles),
  };
}

/** Returns the tenant that a query is limited to; undefined for all. @throws {GatewayError} `request_invalid` */
export function resolveTenant<T extends string | null = string>(
  identity: Identity,
  tenant: T | undefined,
): T | string | undefined {
  return resolveFixed('tenant', identity.tenant, tenant);
}

/** Returns the user that lists are limited to; undefined for all users. */
function findOwnUser({ reach, user }: Identity): string | undefined {
  return reach === 'own' ? (user ?? '') : undefined;
}

/** Returns the user that a query is limited to; undefined for all. @throws {GatewayError} `request_invalid` */
export function resolveUser(identity: Identity, user: string | undefined): string | undefined {
  return resolveFixed('user', findOwnUser(identity) ?? null, user);
}

/** Returns the sender of a command. @throws {GatewayError} `request_invalid` */
export function resolveSender(identity: Identity, { by, roles, reason }: StatedSender) {
  return {
    by: resolveFixed('by', identity.user, by) ?? identity.by,
    roles: (identity.roles === null ? roles : resolveRoles(identity.roles, roles)) ?? [],
    reason,
  };
}

/** Returns the id that a repeated request with the same key has again, for the same caller and purpose. */
export function deriveChainId(
  beginning: string,
  key: string,
  { tenant, user }: Pick<Requester, 'tenant' | 'user'>,
): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([tenant ?? null, user ?? null, key]))
    .digest('hex');
  return `${beginning}-${digest.slice(0, 32)}`;
}

function resolveFixed<T extends string | null>(
  name: string,
  fixed: string | null,
  requested: T | undefined,
): T | string | undefined {
  if (fixed === null) return requested;
  if (requested === undefined || requested === fixed) return fixed;
  throw new GatewayError(
    'request_invalid',
    `The credential fixes ${name} to ${JSON.stringify(fixed)}, and the request states ${JSON.stringify(requested)}. Omit it.`,
  );
}

/** A request may act with fewer roles than its credential has. */
function resolveRoles(fixed: readonly string[], requested: readonly string[] | undefined): readonly string[] {
  const missing = requested?.find((role) => !fixed.includes(role));
  if (missing === undefined) return requested ?? fixed;
  throw new GatewayError(
    'request_invalid',
    `The credential does not have the role ${JSON.stringify(missing)}. Omit \`roles\`, or state roles that it has.`,
  );
}
