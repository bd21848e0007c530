/** Records in the audit log that a role which sees unmasked content reads chains. Without a record, nothing is shown. */

import { LonghandError } from '../../core/lib/index.js';
import { recordContentView, seesUnmasked, type ViewedChain } from '../../store/index.js';
import type { Identity } from '../identity/identity.js';
import type { GatewayServices } from './context.js';

export interface ShownRead {
  readonly identity: Pick<Identity, 'by' | 'roles'>;
  /** `export` for a complete export. */
  readonly role: string;
  /** Id of the operation. */
  readonly operation: string;
}

/** @throws {LonghandError} `not_visible` without a store, `store_unavailable` */
export async function recordShown(
  { store, namespace }: Pick<GatewayServices, 'store' | 'namespace'>,
  { identity: { by, roles }, role, operation }: ShownRead,
  chains: readonly ViewedChain[],
): Promise<void> {
  if (!seesUnmasked(role)) return;
  if (store === null) {
    throw new LonghandError(
      'not_visible',
      'This role sees unmasked content, and each read of it is recorded in the audit log. The gateway has no store for it: set LONGHAND_STORE.',
    );
  }
  const view = { namespace, who: { by, roles: roles ?? [] }, role, command: `gateway ${operation}` };
  await recordContentView(store, view, chains);
}
