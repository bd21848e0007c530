/**
 * Signs the heads of logs: periodically, and before each export.
 *
 * A log is signed only if it extends what was signed before: the key never signs unchecked content of the database.
 */

import type { Kysely, Transaction } from 'kysely';
import {
  emptyLog,
  formatHead,
  type LogEnd,
  type LogHead,
  type LogName,
  type SignedHead,
  toLogKey,
} from '../../core/audit/index.js';
import { lockExclusive, type Store, type Tables } from '../db/store.js';
import { parseOwnHead, type RecordedHead, type RecordedHeads, readRecordedHeads, recordHeads } from './head-record.js';
import type { AuditKey } from './key.js';
import { findBreak, type LogFault, type LogRange } from './log-faults.js';
import { findLogName } from './read.js';

/** A head is due after this many entries since the last one, or after this time. */
export interface SigningCadence {
  readonly entries: number;
  /** Milliseconds. */
  readonly intervalMs: number;
}

const defaultCadence: SigningCadence = { entries: 1_000, intervalMs: 15 * 60_000 };

/** Makes every new head due. */
export const immediateCadence: SigningCadence = { entries: 1, intervalMs: 0 };

export interface SigningResult {
  /** Number of signed heads. */
  readonly signed: number;
  /** Logs that do not extend what this key has signed. */
  readonly faults: readonly LogFault[];
}

/**
 * Signs the head of each log that is due and extends the last signed head.
 *
 * Several processes may sign at the same time. The last signed head is read from the record next to the key, and from the database
 * only for a log without a record.
 *
 * @param now milliseconds since 1970
 * @throws {AuditKeyError} for a record that cannot be read or written; then nothing is signed
 */
export async function signHeads(
  store: Store,
  key: AuditKey,
  now: number,
  cadence: SigningCadence = defaultCadence,
): Promise<SigningResult> {
  const recorded = readRecordedHeads(key, store);
  const checks: LogCheck[] = [];
  for (const log of await listLogs(store.db, key, recorded)) {
    checks.push(await checkLog(store.db, log, isDue(log, now, cadence)));
  }
  const rejected = checks.flatMap(({ fault }) => (fault === null ? [] : [fault]));
  const due = checks.flatMap(({ due: end, log }) => (end === null ? [] : [createSignedHead(key, log, end, now)]));
  const reached = checks.flatMap(({ fault, log }) => (fault === null && log.newest !== null ? [log.newest] : []));
  if (due.length === 0 && reached.every(({ head }) => recorded.get(toLogKey(head))?.head.seq === head.seq)) {
    return { signed: 0, faults: rejected };
  }
  await store.write(async (tx) => {
    await lockExclusive(tx, store, headsLockName);
    // Before the database: after a crash in between, the log still extends the record.
    recordHeads(key, store, [...reached, ...due]);
    await insertHeads(tx, key, due);
  });
  return { signed: due.length, faults: rejected };
}

/** The lock for writing the record of heads. */
export const headsLockName = 'audit:heads';

export async function insertHeads(
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
      .values({ log: toLogKey(head), seq: head.seq, key_id: id, at: head.at, signed, signature })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

export function createSignedHead(
  key: AuditKey,
  { namespace, tenant }: LogName,
  { seq, hash }: LogEnd,
  at: number,
): RecordedHead {
  const head: LogHead = { namespace, tenant, seq, hash, at, key: key.id };
  const signed = formatHead(head);
  return { signed, signature: key.sign(signed), head };
}

/** Returns the faults that `signHeads` would report, and the number of logs; changes nothing. @throws {AuditKeyError} */
export async function checkHeads(
  store: Store,
  key: AuditKey,
): Promise<Pick<SigningResult, 'faults'> & { logs: number }> {
  const rejected: LogFault[] = [];
  const logs = await listLogs(store.db, key, readRecordedHeads(key, store));
  for (const log of logs) {
    const { fault } = await checkLog(store.db, log, true);
    if (fault !== null) rejected.push(fault);
  }
  return { faults: rejected, logs: logs.length };
}

interface KnownLog extends LogName {
  readonly log: string;
  /** Null for a recorded log that the database does not have. */
  readonly end: LogEnd | null;
  readonly recorded: RecordedHead | null;
  /** The newest head of this key in the database. */
  readonly newest: RecordedHead | null;
  /** The entry of a head that names this key, which did not sign it. */
  readonly forgedSeq: number | null;
  /** Whether the columns of its row name another log than its key does. */
  readonly isMisnamed: boolean;
}

interface LogCheck {
  readonly log: KnownLog;
  readonly fault: LogFault | null;
  /** The end to sign; null when none is due. */
  readonly due: LogEnd | null;
}

/** Returns the last signed head, by this process or another one with the key. */
function getLastHead({ recorded, newest }: KnownLog): LogHead | null {
  if (recorded === null || newest === null) return (recorded ?? newest)?.head ?? null;
  return newest.head.seq > recorded.head.seq ? newest.head : recorded.head;
}

function isDue(log: KnownLog, now: number, cadence: SigningCadence): boolean {
  const last = getLastHead(log);
  const behind = (log.end?.seq ?? 0) - (last?.seq ?? 0);
  // A clock that was set back must not delay the signature.
  const waited = last === null || now < last.at ? cadence.intervalMs : now - last.at;
  return behind > 0 && (behind >= cadence.entries || waited >= cadence.intervalMs);
}

/** @param toEnd whether to check up to the log's end, to sign it */
async function checkLog(db: Kysely<Tables>, log: KnownLog, toEnd: boolean): Promise<LogCheck> {
  const { namespace, tenant, end, recorded, newest, forgedSeq, isMisnamed } = log;
  const first = recorded ?? newest;
  const rejected = (kind: LogFault['kind'], seq: number): LogCheck => {
    return { log, fault: { kind, seq, head: first?.head ?? null, namespace, tenant }, due: null };
  };
  if (isMisnamed) return rejected('misnamed', end?.seq ?? 0);
  if (recorded === null && forgedSeq !== null) return rejected('forged', forgedSeq);
  if (end === null) return rejected('removed', 0);
  const last = getLastHead(log);
  if (last !== null && end.seq < last.seq) return rejected('cut', end.seq);
  const signed: LogEnd = first?.head ?? emptyLog;
  const reach: LogRange[] = [{ from: signed, to: last ?? emptyLog }];
  if (toEnd) reach.push({ from: last ?? emptyLog, to: end });
  for (const range of reach) {
    const fault = await findBreak(db, log.log, range);
    if (fault !== null) return rejected(fault.kind, fault.seq);
  }
  return { log, fault: null, due: toEnd ? { seq: end.seq, hash: end.hash } : null };
}

async function listLogs(db: Kysely<Tables>, key: AuditKey, recorded: RecordedHeads): Promise<readonly KnownLog[]> {
  const ends = await db.selectFrom('audit_logs').selectAll().execute();
  const newest = await readNewestHeads(db, key);
  const there = ends.map(({ log, namespace, tenant, seq, hash }): KnownLog => {
    const { head = null, forgedSeq = null } = newest.get(log) ?? {};
    const known = recorded.get(log) ?? null;
    // A head that is older than the recorded one, and further on, was given up when a person accepted the log.
    const counts = head !== null && (known === null || head.head.at >= known.head.at);
    // Entries are found by key: a head with the names of the columns would sign another log's entries.
    const isMisnamed = toLogKey({ namespace, tenant }) !== log;
    const facts = { recorded: known, newest: counts ? head : null, forgedSeq, isMisnamed };
    return { ...(findLogName(log) ?? { namespace, tenant }), log, end: { seq, hash }, ...facts };
  });
  const known = new Set(ends.map(({ log }) => log));
  const gone = [...recorded].flatMap(([log, recordedHead]): KnownLog[] => {
    const { namespace, tenant } = recordedHead.head;
    const none = { end: null, newest: null, forgedSeq: null, isMisnamed: false } as const;
    return known.has(log) ? [] : [{ log, namespace, tenant, recorded: recordedHead, ...none }];
  });
  return [...there, ...gone];
}

interface NewestHead {
  readonly head: RecordedHead | null;
  readonly forgedSeq: number | null;
}

async function readNewestHeads(db: Kysely<Tables>, key: AuditKey): Promise<ReadonlyMap<string, NewestHead>> {
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
    rows.map(({ log, seq, signed, signature }): readonly [string, NewestHead] => {
      const head = parseOwnHead(key, { signed, signature });
      const isOwn = head !== null && toLogKey(head.head) === log && head.head.seq === seq;
      return [log, isOwn ? { head, forgedSeq: null } : { head: null, forgedSeq: seq }];
    }),
  );
}

export async function listHeads(db: Kysely<Tables>, log: string): Promise<readonly (SignedHead & { seq: number })[]> {
  return await db
    .selectFrom('audit_heads')
    .select(['seq', 'signed', 'signature'])
    .where('log', '=', log)
    .orderBy('seq')
    .execute();
}

/** Public keys by their ids. */
export async function readPublicKeys(db: Kysely<Tables>): Promise<Readonly<Record<string, string>>> {
  const rows = await db.selectFrom('audit_keys').select(['key_id', 'public_key']).orderBy('added_at').execute();
  return Object.fromEntries(rows.map(({ key_id: id, public_key: key }) => [id, key]));
}
