/**
 * Records in the audit log who reads content that is masked for others, before it is shown: as an auditor, or as a file that
 * holds a whole chain. If recording fails, nothing is shown. Chains in files are not recorded: their owner has read them.
 */

import type { RecordedChain } from '../../client/read/recorded-chain.js';
import type { EntryWithContents } from '../../core/audit/entry.js';
import { toLogKey } from '../../core/audit/head.js';
import { appendAudit, createOutsideDraft, type OutsideContext } from '../../store/audit/append.js';
import { isStoreError } from '../../store/db/errors.js';
import { openStore } from '../../store/db/open.js';
import type { Store } from '../../store/db/store.js';
import { readStoreUrl } from '../../store/db/store-location.js';
import { isFile } from './find-chain.js';
import { getNamespace, getSystemUser } from './open.js';

export interface ContentAccess {
  /** `whole`: of a form that no role narrows. */
  readonly role: string | undefined;
  /** As it is typed, without what it is about. */
  readonly command: string;
  /** What was named; null for a look at many. */
  readonly named: string | null;
}

export interface ViewedChain {
  readonly chainId: string;
  readonly tenant: string | null;
  readonly agent: string | null;
}

/** @throws Error that says why it is not shown */
export async function recordView(
  { role, command, named }: ContentAccess,
  viewed: readonly ViewedChain[],
): Promise<void> {
  if ((role !== 'auditor' && role !== 'whole') || viewed.length === 0 || (named !== null && isFile(named))) return;
  const where = readStoreUrl(process.env);
  if (where === null) return;
  const who = { by: getSystemUser(), roles: [role] };
  const drafts = viewed.map((chain) =>
    createOutsideDraft(
      { namespace: getNamespace({}), who, at: Date.now(), ...chain },
      { type: 'content_viewed', what: { role, command } },
    ),
  );
  let store: Store | null = null;
  try {
    store = await openStore(where);
    await store.write((tx) => appendAudit(tx, drafts));
  } catch (error) {
    // Nobody asked for the store that is used by default, and on this machine there can be none.
    if (isStoreError(error) && error.kind === 'missing' && !process.env.LONGHAND_STORE) return;
    throw new Error(
      `It is not shown: who reads what is masked for others has to be written into the audit log, and that failed. ${error instanceof Error ? error.message : error}`,
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

/** The same for contents of audit entries: one record for each chain that is read. @throws StoreError */
export async function recordContentsRead(
  store: Store,
  entries: readonly EntryWithContents[],
  command: string,
  by: string | undefined,
): Promise<void> {
  const read = new Map<string, OutsideContext>();
  const who = { by: by ?? getSystemUser(), roles: [] };
  const at = Date.now();
  for (const { entry, contents } of entries) {
    if (contents.length === 0) continue;
    const { namespace, tenant, chainId, agent } = entry;
    read.set(`${toLogKey(entry)}${chainId}`, { namespace, tenant, chainId, agent, who, at });
  }
  if (read.size === 0) return;
  const drafts = [...read.values()].map((place) =>
    createOutsideDraft(place, { type: 'content_viewed', what: { role: 'auditor', command } }),
  );
  await store.write((tx) => appendAudit(tx, drafts));
}
