/** Signs the heads of logs, so that what is in them is vouched for: from time to time, and before each export. */

import type { Kysely } from 'kysely';
import { headText, type LogName, type SignedHead } from '../../core/audit/head.js';
import type { Store } from '../store.js';
import type { Tables } from '../tables.js';
import type { AuditKey } from './key.js';

/** When a head is due: so many entries after the last one, or so long. */
export interface Cadence {
  readonly entries: number;
  /** Milliseconds. */
  readonly ms: number;
}

export const defaultCadence: Cadence = { entries: 1_000, ms: 15 * 60_000 };

/** Signs at once. */
export const everyHead: Cadence = { entries: 1, ms: 0 };

/**
 * Signs the head of each log in which one is due. Several processes may do it at once: a head is what it is.
 *
 * @param now milliseconds since 1970
 * @returns how many were signed
 */
export async function signHeads(
  store: Store,
  key: AuditKey,
  now: number,
  cadence: Cadence = defaultCadence,
): Promise<number> {
  const due = (await unsigned(store.db)).filter(({ behind, signedAt }) => {
    // A clock that was put back must not put it off.
    const waited = signedAt === null || now < signedAt ? cadence.ms : now - signedAt;
    return behind >= cadence.entries || waited >= cadence.ms;
  });
  if (due.length === 0) return 0;
  await store.write(async (tx) => {
    await tx
      .insertInto('audit_keys')
      .values({ key_id: key.id, public_key: key.publicKey, added_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    for (const { log, namespace, tenant, seq, hash } of due) {
      const signed = headText({ namespace, tenant, seq, hash, at: now, key: key.id });
      await tx
        .insertInto('audit_heads')
        .values({ log, seq, key_id: key.id, at: now, signed, signature: key.sign(signed) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  });
  return due.length;
}

interface Unsigned extends LogName {
  readonly log: string;
  readonly seq: number;
  readonly hash: string;
  /** Entries that no head vouches for. */
  readonly behind: number;
  readonly signedAt: number | null;
}

async function unsigned(db: Kysely<Tables>): Promise<readonly Unsigned[]> {
  const logs = await db.selectFrom('audit_logs').selectAll().execute();
  const heads = await db
    .selectFrom('audit_heads')
    .select(({ fn }) => ['log', fn.max('seq').as('seq'), fn.max('at').as('at')])
    .groupBy('log')
    .execute();
  const signed = new Map(heads.map((head) => [head.log, head]));
  return logs.flatMap((log) => {
    const head = signed.get(log.log);
    const behind = log.seq - (head?.seq ?? 0);
    return behind > 0 ? [{ ...log, behind, signedAt: head?.at ?? null }] : [];
  });
}

export async function headsOf(db: Kysely<Tables>, log: string): Promise<readonly (SignedHead & { seq: number })[]> {
  return await db
    .selectFrom('audit_heads')
    .select(['seq', 'signed', 'signature'])
    .where('log', '=', log)
    .orderBy('seq')
    .execute();
}

/** Public keys by their ids. */
export async function keysIn(db: Kysely<Tables>): Promise<Readonly<Record<string, string>>> {
  const rows = await db.selectFrom('audit_keys').select(['key_id', 'public_key']).orderBy('added_at').execute();
  return Object.fromEntries(rows.map(({ key_id: id, public_key: key }) => [id, key]));
}
