/** Who reads what is masked for others is written into the audit log before it is shown; where that fails, it is not shown. */

import type { EntryWithContents } from '../../core/audit/entry.js';
import { logKey } from '../../core/audit/head.js';
import { appendAudit } from '../../store/audit/append.js';
import { type Outside, outsideDraft } from '../../store/audit/outside.js';
import type { Store } from '../../store/db/store.js';
import { loggedIn } from './logged-in.js';

/** Of entries with their contents: one for each chain that is read. @throws StoreError */
export async function noteReading(
  store: Store,
  entries: readonly EntryWithContents[],
  command: string,
  by: string | undefined,
): Promise<void> {
  const read = new Map<string, Outside>();
  const who = { by: by ?? loggedIn(), roles: [] };
  const at = Date.now();
  for (const { entry, contents } of entries) {
    if (contents.length === 0) continue;
    const { namespace, tenant, chainId, agent } = entry;
    read.set(`${logKey(entry)}${chainId}`, { namespace, tenant, chainId, agent, who, at });
  }
  if (read.size === 0) return;
  const drafts = [...read.values()].map((place) =>
    outsideDraft(place, { type: 'content_viewed', what: { role: 'auditor', command } }),
  );
  await store.write((tx) => appendAudit(tx, drafts));
}
