/**
 * Takes the contents of chains out of the audit log, and says so in it. Entries stay as they are, and with them the chain of
 * their hashes; of the contents their salted digests remain, from which nobody can guess them once the salts are gone too.
 */

import type { Transaction } from 'kysely';
import type { AuditEntry } from '../../core/audit/entry.js';
import { type LogName, logKey } from '../../core/audit/head.js';
import type { Tables } from '../tables.js';
import { appendAudit, column } from './append.js';
import { type Outside, outsideDraft } from './outside.js';

export interface Erasure extends Pick<Outside, 'who' | 'at'>, LogName {
  /** What somebody asked for; the chains are what it came to. */
  readonly scope: 'chain' | 'user' | 'tenant';
  readonly chainIds: readonly string[];
}

/** Ids of one statement. */
const atOnce = 500;

/** Called by whoever erases chains, in the same transaction; once for each tenant whose chains they are. */
export async function eraseAudit(
  tx: Transaction<Tables>,
  { namespace, tenant, scope, chainIds, who, at }: Erasure,
): Promise<AuditEntry> {
  const log = logKey({ namespace, tenant });
  let contents = 0;
  for (let from = 0; from < chainIds.length; from += atOnce) {
    const ids = chainIds.slice(from, from + atOnce).map((id) => column(id));
    const { numDeletedRows } = await tx
      .deleteFrom('audit_contents')
      .where('log', '=', log)
      .where('seq', 'in', (entries) =>
        entries.selectFrom('audit_entries').select('seq').where('log', '=', log).where('chain_id', 'in', ids),
      )
      .executeTakeFirst();
    contents += Number(numDeletedRows);
  }
  const what = { scope, chains: chainIds, contents };
  const chainId = scope === 'chain' ? (chainIds[0] ?? null) : null;
  const place = { namespace, tenant, who, at, chainId };
  const [entry] = await appendAudit(tx, [outsideDraft(place, { type: 'erased', what })]);
  if (entry === undefined) throw new Error('What was erased was not written down.');
  return entry;
}
