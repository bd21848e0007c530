/**
 * Signs the heads of logs, so that what is in them is vouched for: from time to time, and before each export.
 *
 * A log is signed only as far as it goes on from what was signed before: the key vouches for a log that grew, and not for
 * whatever the database says.
 */

import type { Kysely, Transaction } from 'kysely';
import { type Head, headText, type LogName, logKey, type SignedHead } from '../../core/audit/head.js';
import { emptyLog, type LogEnd } from '../../core/audit/seal.js';
import { lockUntilEnd, type Store, type Tables } from '../db/store.js';
import { breakIn, type Reach, type Refusal } from './extends-head.js';
import { keepHeads, ownHead, type RecordedHead, type RecordedHeads, readHeads } from './head-record.js';
import type { AuditKey } from './key.js';
import { logInKey } from './read.js';

/** When a head is due: so many entries after the last one, or so long. */
export interface Cadence {
  readonly entries: number;
  /** Milliseconds. */
  readonly ms: number;
}

export const defaultCadence: Cadence = { entries: 1_000, ms: 15 * 60_000 };

/** Signs at once. */
export const everyHead: Cadence = { entries: 1, ms: 0 };

export interface Signing {
  /** How many heads were signed. */
  readonly signed: number;
  /** Logs that do not hold what this key has signed. */
  readonly refused: readonly Refusal[];
}

/**
 * Signs the head of each log in which one is due, if the log extends the head that the key signed before.
 *
 * Several processes may do it at once. What was signed before is read from the record beside the key, and only where that
 * knows nothing of a log from the database.
 *
 * @param now milliseconds since 1970
 * @throws {AuditKeyError} for a record that cannot be read or written; then nothing is signed
 */
export async function signHeads(
  store: Store,
  key: AuditKey,
  now: number,
  cadence: Cadence = defaultCadence,
): Promise<Signing> {
  const recorded = readHeads(key, store);
  const looked: Looked[] = [];
  for (const log of await logsOf(store.db, key, recorded)) {
    looked.push(await lookAt(store.db, log, isDue(log, now, cadence)));
  }
  const refused = looked.flatMap(({ refusal }) => (refusal === null ? [] : [refusal]));
  const due = looked.flatMap(({ due: end, log }) => (end === null ? [] : [signHead(key, log, end, now)]));
  const reached = looked.flatMap(({ refusal, log }) => (refusal === null && log.newest !== null ? [log.newest] : []));
  if (due.length === 0 && reached.every(({ head }) => recorded.get(logKey(head))?.head.seq === head.seq)) {
    return { signed: 0, refused };
  }
  await store.write(async (tx) => {
    await lockUntilEnd(tx, store, headsLock);
    // Before the database has them: a crash between the two leaves a record that the log extends.
    keepHeads(key, store, [...reached, ...due]);
    await putHeads(tx, key, due);
  });
  return { signed: due.length, refused };
}

/** Held by whoever writes the record of heads. */
export const headsLock = 'audit:heads';

export async function putHeads(
  tx: Transaction<Tables>,
  { id, publicKey }: AuditKey,
  heads: readonly RecordedHead[],
): Promise<void> {
  for (const [at, { head, signed, signature }] of heads.entries()) {
    if (at === 0) {
      await tx
        .insertInto('audit_keys')
        .values({ key_id: id, public_key: publicKey, added_at: head.at })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    await tx
      .insertInto('audit_heads')
      .values({ log: logKey(head), seq: head.seq, key_id: id, at: head.at, signed, signature })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

export function signHead(
  key: AuditKey,
  { namespace, tenant }: LogName,
  { seq, hash }: LogEnd,
  at: number,
): RecordedHead {
  const head: Head = { namespace, tenant, seq, hash, at, key: key.id };
  const signed = headText(head);
  return { signed, signature: key.sign(signed), head };
}

/** The logs that `signHeads` would refuse, with how many there are. Changes nothing. @throws {AuditKeyError} */
export async function checkHeads(store: Store, key: AuditKey): Promise<Pick<Signing, 'refused'> & { logs: number }> {
  const refused: Refusal[] = [];
  const logs = await logsOf(store.db, key, readHeads(key, store));
  for (const log of logs) {
    const { refusal } = await lookAt(store.db, log, true);
    if (refusal !== null) refused.push(refusal);
  }
  return { refused, logs: logs.length };
}

interface KnownLog extends LogName {
  readonly log: string;
  /** Null for a log that is recorded, and not in the database. */
  readonly end: LogEnd | null;
  readonly recorded: RecordedHead | null;
  /** The newest head of this key in the database. */
  readonly newest: RecordedHead | null;
  /** Where a head bears the id of this key, and not its signature. */
  readonly forged: number | null;
  /** Whether the columns of its row name another log than its key. */
  readonly isMisnamed: boolean;
}

interface Looked {
  readonly log: KnownLog;
  readonly refusal: Refusal | null;
  /** The end that is to be signed; null where none is due. */
  readonly due: LogEnd | null;
}

/** What was signed last, by this process or another one with the key. */
function lastOf({ recorded, newest }: KnownLog): Head | null {
  if (recorded === null || newest === null) return (recorded ?? newest)?.head ?? null;
  return newest.head.seq > recorded.head.seq ? newest.head : recorded.head;
}

function isDue(log: KnownLog, now: number, cadence: Cadence): boolean {
  const last = lastOf(log);
  const behind = (log.end?.seq ?? 0) - (last?.seq ?? 0);
  // A clock that was put back must not put it off.
  const waited = last === null || now < last.at ? cadence.ms : now - last.at;
  return behind > 0 && (behind >= cadence.entries || waited >= cadence.ms);
}

/** @param toEnd whether its end is to be signed */
async function lookAt(db: Kysely<Tables>, log: KnownLog, toEnd: boolean): Promise<Looked> {
  const { namespace, tenant, end, recorded, newest, forged, isMisnamed } = log;
  const first = recorded ?? newest;
  const refused = (kind: Refusal['kind'], seq: number): Looked => {
    return { log, refusal: { kind, seq, head: first?.head ?? null, namespace, tenant }, due: null };
  };
  if (isMisnamed) return refused('misnamed', end?.seq ?? 0);
  if (recorded === null && forged !== null) return refused('forged', forged);
  if (end === null) return refused('removed', 0);
  const last = lastOf(log);
  if (last !== null && end.seq < last.seq) return refused('cut', end.seq);
  const signed: LogEnd = first?.head ?? emptyLog;
  const reach: Reach[] = [{ from: signed, to: last ?? emptyLog }];
  if (toEnd) reach.push({ from: last ?? emptyLog, to: end });
  for (const each of reach) {
    const found = await breakIn(db, log.log, each);
    if (found !== null) return refused(found.kind, found.seq);
  }
  return { log, refusal: null, due: toEnd ? { seq: end.seq, hash: end.hash } : null };
}

async function logsOf(db: Kysely<Tables>, key: AuditKey, recorded: RecordedHeads): Promise<readonly KnownLog[]> {
  const ends = await db.selectFrom('audit_logs').selectAll().execute();
  const newest = await newestByLog(db, key);
  const there = ends.map(({ log, namespace, tenant, seq, hash }): KnownLog => {
    const { head = null, forged = null } = newest.get(log) ?? {};
    const known = recorded.get(log) ?? null;
    // One from before the recorded one, and further on, was given up when the log was accepted as it is.
    const counts = head !== null && (known === null || head.head.at >= known.head.at);
    // The entries are found by the key: a head with the names of the columns would vouch for another log's entries.
    const isMisnamed = logKey({ namespace, tenant }) !== log;
    const found = { recorded: known, newest: counts ? head : null, forged, isMisnamed };
    return { ...(logInKey(log) ?? { namespace, tenant }), log, end: { seq, hash }, ...found };
  });
  const known = new Set(ends.map(({ log }) => log));
  const gone = [...recorded].flatMap(([log, each]): KnownLog[] => {
    const { namespace, tenant } = each.head;
    const none = { end: null, newest: null, forged: null, isMisnamed: false } as const;
    return known.has(log) ? [] : [{ log, namespace, tenant, recorded: each, ...none }];
  });
  return [...there, ...gone];
}

interface Newest {
  readonly head: RecordedHead | null;
  readonly forged: number | null;
}

async function newestByLog(db: Kysely<Tables>, key: AuditKey): Promise<ReadonlyMap<string, Newest>> {
  const rows = await db
    .selectFrom('audit_heads as head')
    .innerJoin(
      (heads) =>
        heads
          .selectFrom('audit_heads')
          .select(({ fn }) => ['log', fn.max('seq').as('seq')])
          .where('key_id', '=', key.id)
          .groupBy('log')
          .as('newest'),
      (join) => join.onRef('newest.log', '=', 'head.log').onRef('newest.seq', '=', 'head.seq'),
    )
    .where('head.key_id', '=', key.id)
    .select(['head.log', 'head.seq', 'head.signed', 'head.signature'])
    .execute();
  return new Map(
    rows.map(({ log, seq, signed, signature }): readonly [string, Newest] => {
      const head = ownHead(key, { signed, signature });
      const isOwn = head !== null && logKey(head.head) === log && head.head.seq === seq;
      return [log, isOwn ? { head, forged: null } : { head: null, forged: seq }];
    }),
  );
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
