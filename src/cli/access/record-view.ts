/**
 * Records in the audit log that a person reads content that is masked for others: as an auditor, or as an unmasked file.
 * The record comes first: when it fails, nothing is shown. Reading a local chain file is not recorded.
 */

import { LonghandError, toErrorMessage } from '../../core/lib/index.js';
import type { RecordedChain } from '../../core/record/index.js';
import { openStore, recordContentView, type Store, seesUnmasked, type ViewedChain } from '../../store/index.js';
import { findStoreUrl } from './command-store.js';
import { isFile } from './find-chain.js';
import { getNamespace, getSystemUser } from './open.js';

export interface ContentAccess {
  /** `export`: the command exports unmasked content. */
  readonly role: string | undefined;
  /** The command as typed, without its argument. */
  readonly command: string;
  /** The argument; null for a command that reads many chains. */
  readonly named: string | null;
}

/** Records a view before it is shown. @throws LonghandError `not_visible` when it could not be recorded */
export async function recordView(
  { role, command, named }: ContentAccess,
  viewed: readonly ViewedChain[],
): Promise<void> {
  if (role === undefined || !seesUnmasked(role) || viewed.length === 0 || (named !== null && isFile(named))) return;
  const where = await findStoreUrl();
  if (where === null) return;
  const content = { namespace: getNamespace(), who: { by: getSystemUser(), roles: [role] }, role, command };
  let store: Store | null = null;
  try {
    store = await openStore(where);
    await recordContentView(store, content, viewed);
  } catch (error) {
    throw new LonghandError(
      'not_visible',
      `Nothing is shown: the audit log must record who reads masked content, and recording failed. ${toErrorMessage(error)}`,
      { cause: error },
    );
  } finally {
    await store?.close();
  }
}

export function toViewedChain({ chainId, chain }: Pick<RecordedChain, 'chainId' | 'chain'>): ViewedChain {
  const { input } = chain.state;
  return { chainId, tenant: input?.tenant ?? null, agent: input?.agent ?? null };
}
