/**
 * Takes the contents of chains out of the audit log, and says so in it. Entries stay as they are, and with them the chain of
 * their hashes; of the contents their salted digests remain, from which nobody can guess them once the salts are gone too.
 */

import type { Transaction } from 'kysely';
import type { Actor, AuditEntry, ErasureScope } from '../../core/audit/entry.js';
import { type LogName, toLogKey } from '../../core/audit/head.js';
import type { Tables } from '../db/store.js';
import { toStorableText } from '../db/store-dialect.js';
import { appendAudit, createOutsideDraft } from './append.js';

export interface AuditErasure {
  readonly namespace: string;
  /** What somebody asked for; the chains are what it came to. */
  readonly scope: ErasureScope;
  readonly chainIds: readonly string[];
  /** In whose log an erasure stands that came to no chain at all. Default: the log of no tenant. */
  readonly tenant?: string | null;
  readonly who: Actor;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Ids of one statement. */
const batchSize = 500;

/**
 * Called by whoever erases chains, in the same transaction. Chains without an entry are named in the log of no tenant. That
 * somebody erased is told even where there is no chain yet: what a chain that runs says later will be missing for it.
 *
 * @returns what was written down, an entry for each tenant whose chains they are; one at least
 * @example
 * await erase(store, what, { namespace, by, now, also: (tx, chains) => eraseAudit(tx, { namespace, scope: 'user', chainIds: chains.map(({ chainId }) => chainId), who, at: now }) });
 */
export async function eraseAuditContents(
  tx: Transaction<Tables>,
  erasure: AuditErasure,
): Promise<readonly AuditEntry[]> {
  const logs = await groupByLog(tx, erasure);
  const entries: AuditEntry[] = [];
  for (const { log, chainIds } of logs) {
    const contents = await eraseLogContents(tx, log, chainIds);
    const { scope, who, at } = erasure;
    const chainId = scope === 'chain' ? (chainIds[0] ?? null) : null;
    const draft = createOutsideDraft(
      { ...log, who, at, chainId },
      { type: 'erased', what: { scope, chains: chainIds, contents } },
    );
    entries.push(...(await appendAudit(tx, [draft])));
  }
  return entries;
}

interface ErasedLog {
  readonly log: LogName;
  readonly chainIds: readonly string[];
}

async function groupByLog(
  tx: Transaction<Tables>,
  { namespace, chainIds, tenant: named = null }: AuditErasure,
): Promise<readonly ErasedLog[]> {
  if (chainIds.length === 0) return [{ log: { namespace, tenant: named }, chainIds }];
  const logs = new Map<string, { readonly log: LogName; readonly chainIds: string[] }>();
  const put = (tenant: string | null, chainId: string) => {
    const log = { namespace, tenant };
    const known = logs.get(toLogKey(log)) ?? { log, chainIds: [] };
    known.chainIds.push(chainId);
    logs.set(toLogKey(log), known);
  };
  const seen = new Set<string>();
  for (let from = 0; from < chainIds.length; from += batchSize) {
    const rows = await tx
      .selectFrom('audit_entries')
      .select(['tenant', 'chain_id'])
      .distinct()
      .where('namespace', '=', namespace)
      .where('chain_id', 'in', chainIds.slice(from, from + batchSize))
      .orderBy('chain_id')
      .execute();
    for (const { tenant, chain_id: chainId } of rows) {
      if (chainId === null) continue;
      seen.add(chainId);
      put(tenant, chainId);
    }
  }
  for (const chainId of chainIds) if (!seen.has(toStorableText(chainId))) put(null, chainId);
  return [...logs.values()];
}

async function eraseLogContents(tx: Transaction<Tables>, name: LogName, chainIds: readonly string[]): Promise<number> {
  const log = toLogKey(name);
  let contents = 0;
  for (let from = 0; from < chainIds.length; from += batchSize) {
    const ids = chainIds.slice(from, from + batchSize);
    const { numDeletedRows } = await tx
      .deleteFrom('audit_contents')
      .where('log', '=', log)
      .where('seq', 'in', (entries) =>
        entries.selectFrom('audit_entries').select('seq').where('log', '=', log).where('chain_id', 'in', ids),
      )
      .executeTakeFirst();
    contents += Number(numDeletedRows);
  }
  return contents;
}
