/** Handlers of operations on the audit log and on the preferences of users. */

import { LonghandError, omitUndefined } from '../../core/lib/index.js';
import type { auditOperations } from '../../http/index.js';
import {
  createPreferenceStore,
  isAuditType,
  type PreferenceKey,
  queryAudit,
  recordContentsRead,
} from '../../store/index.js';
import type { RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { GatewayError } from '../request/problems.js';
import { resolveRequester, resolveTenant } from '../request/requester.js';
import { requireStore } from './require-store.js';

export const auditHandlers: Handlers<typeof auditOperations> = {
  queryAudit: async ({ query: { contents, limit, cursor, tenant, type, ...filter } }, context) => {
    const { namespace, identity } = context;
    // Its entries are about the chains of all users.
    if (identity.reach === 'own')
      throw new LonghandError(
        'not_visible',
        'This credential reaches only its own chains, and the audit log is of the whole tenant. Use one with reach `all`.',
      );
    const store = requireStore(context, 'audit log');
    if (type !== undefined && !isAuditType(type))
      throw new GatewayError('request_invalid', `query.type: ${JSON.stringify(type)} is no type of an audit entry.`);
    const page = await queryAudit(
      store.db,
      omitUndefined({ ...filter, type, namespace, tenant: resolveTenant(identity, tenant) }),
      { limit, cursor },
    );
    if (contents) {
      const who = { by: identity.by, roles: identity.roles ?? [] };
      await recordContentsRead(store, page.entries, { who, command: 'gateway queryAudit' });
    }
    const items = page.entries.map(({ entry, contents: entryContents }) =>
      contents
        ? { entry, contents: Object.fromEntries(entryContents.map(({ part, content }) => [part, content])) }
        : { entry },
    );
    return { items, cursor: page.cursor };
  },

  getPreferences: async ({ query }, context) =>
    createPreferenceStore(requireStore(context, 'preferences')).read(toPreferenceKey(context, query)),

  putPreferences: async ({ query, body }, context) => {
    const { identity } = context;
    if (identity.user === null && !identity.scopes.has('admin'))
      throw new GatewayError('scope_missing', 'A credential without a user needs the scope admin to set preferences.');
    await createPreferenceStore(requireStore(context, 'preferences')).put(toPreferenceKey(context, query), body);
    return body;
  },
};

function toPreferenceKey(
  { identity, namespace }: RequestContext,
  query: { readonly tenant?: string | undefined; readonly user?: string | undefined },
): PreferenceKey {
  const { tenant, user } = resolveRequester(identity, query);
  if (user === undefined)
    throw new GatewayError('request_invalid', 'query.user: name the user, because the credential has none.');
  return { namespace, tenant: tenant ?? null, user };
}
