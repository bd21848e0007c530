/**
 * For whom a chain runs, and the tools that its roles permit. A sub-chain has the requester of its parent, so the same tools are
 * permitted at every depth.
 */

import { check } from '../../lib/index.js';
import { type ChainState, formatRoles, hasRole, type Requester, type ToolSnapshot } from '../../model/index.js';

export const noRequester: Requester = { tenant: null, user: null, roles: [] };

/** Returns the requester. A start may contain anything: what is missing or no text is omitted. */
export function getRequester({ input }: Pick<ChainState, 'input'>): Requester {
  const { tenant, user, roles }: { readonly [member in keyof Requester]?: unknown } = input ?? {};
  return {
    tenant: check.toTextOrNull(tenant),
    user: check.toTextOrNull(user),
    roles: Array.isArray(roles) ? roles.filter(check.text.is) : [],
  };
}

/** Returns whether the chain has one of the tool's roles, or the tool requires none. */
export function isPermitted(state: Pick<ChainState, 'input'>, { roles }: Pick<ToolSnapshot, 'roles'>): boolean {
  return roles.length === 0 || hasRole(getRequester(state).roles, roles);
}

/** An observation for the model. */
export function renderNotPermitted({ name, roles }: Pick<ToolSnapshot, 'name' | 'roles'>): string {
  return `Not permitted: ${name} requires ${formatRoles(roles)}, which this chain does not have. The call was not run. Do not repeat it: continue without it.`;
}
