/**
 * Deletes the contents of chains from the audit log, and records it there. The entries and their hash chain stay. Of the
 * contents only salted digests remain, which cannot be guessed because the salts are deleted, too.
 */

import type { Transaction } from 'kysely';
import { type Actor, type AuditEntry, type ErasureScope, type LogName, toLogKey } from '../../core/audit/index.js';
import type { Tables } from '../db/store.js';
import { toStorableText } from '../db/store-dialect.js';
import { appendAudit, createOutsideDraft } from './append.js';

export interface AuditErasure {
  readonly namespace: string;
  /** The requested scope; `chainIds` are the chains that it matched. */
  readonly scope: ErasureScope;
  readonly chainIds: readonly string[];
  /** The log that records an erasure which matched no chain. Default: the log of no tenant. */
  readonly tenant?: string | null;
  readonly who: Actor;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Ids in one statement. */
const batchSize = 500;

/**
 * Deletes contents, in the transaction that erases the chains. Chains without an entry are recorded in the log of no tenant.
 * An erasure without any chain is recorded as well: it explains why contents of a running chain will be missing.
 *
 * @returns the recorded entries: one for each tenant with matching chains, at least one
 * @example
 * await eraseChains(store, what, { namespace, by, now, also: (tx, chains) => eraseAuditContents(tx, { namespace, scope: 'user', chainIds: chains.map(({ chainId }) => chainId), who, at: now }) });
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
  { namespace, chainIds, tenant: erasedTenant = null }: AuditErasure,
): Promise<readonly ErasedLog[]> {
  if (chainIds.length === 0) return [{ log: { namespace, tenant: erasedTenant }, chainIds }];
  const logs = new Map<string, { readonly log: LogName; readonly chainIds: string[] }>();
  const put = (tenant: string | null, chainId: string) => {
    const log = { namespace, tenant };
    const known = logs.get(toLogKey(log)) ?? { log, chainIds: [] };
    known.chainIds.push(chainId);
    logs.set(toLogKey(log), known);
  };
  const loggedIds = new Set<string>();
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
      loggedIds.add(chainId);
      put(tenant, chainId);
    }
  }
  for (const chainId of chainIds) if (!loggedIds.has(toStorableText(chainId))) put(null, chainId);
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
