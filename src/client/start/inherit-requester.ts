/** The requester of a chain that continues another one: a fork, or a follow-up. */

import type { ChainInput } from '../../core/model/index.js';
import type { StartOptions } from './start-options.js';

type Requester = Pick<StartOptions, 'tenant' | 'user' | 'roles'>;

/** Returns the requester of the other chain where the options name none. Roles belong to a user: another user has none. */
export function inheritRequester({ tenant, user, roles }: Requester, input: ChainInput): Requester {
  const isSameUser = (user ?? input.user) === input.user && (tenant ?? input.tenant) === input.tenant;
  return {
    tenant: tenant ?? input.tenant ?? undefined,
    user: user ?? input.user ?? undefined,
    roles: roles ?? (isSameUser ? input.roles : []),
  };
}
