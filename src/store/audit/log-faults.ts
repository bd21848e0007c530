/** Finds faults of stored logs: a log must contain what was signed, and extend it without a break. */

import type { Kysely } from 'kysely';
import {
  type AuditEntry,
  computeBodyDigest,
  computeEntryHash,
  formatLogName,
  type LogEnd,
  type LogHead,
  type LogName,
  toLogKey,
} from '../../core/audit/index.js';
import { formatCount, LonghandError } from '../../core/lib/index.js';
import type { Tables } from '../db/store.js';
import { sha256 } from './key.js';

/** Why a log is not signed. */
export interface LogFault extends LogName {
  readonly kind:
    | 'removed'
    /** The log ends before the head. */
    | 'cut'
    /** The entry at the head's place was replaced. */
    | 'rewritten'
    /** After the head an entry is missing, or does not extend the one before. */
    | 'broken'
    /** A head in the database names this key, which did not sign it. */
    | 'forged'
    /** The key of its row in `audit_logs` does not match the namespace and the tenant in the row. */
    | 'misnamed';
  readonly seq: number;
  /** The last signed head; null for a log that was never signed. */
  readonly head: LogHead | null;
}

/** Returns one sentence without a period. */
export function formatLogFault({ kind, seq, head, ...log }: LogFault): string {
  const signed =
    head === null
      ? ''
      : `, although its head was signed at entry ${formatCount(head.seq)} (${new Date(head.at).toISOString()})`;
  return `The audit log of ${formatLogName(log)} ${faultClauses[kind](formatCount(seq))}${signed}`;
}

/** The fix, as a sentence without a period. */
export const logFaultRemedy =
  'The log is not signed until this is resolved: find out who wrote to the database (`longhand audit verify --anchor`). If a backup was restored on purpose, run `longhand audit accept --reason "…"`';

/** A log that must be signed has a fault. */
export class LogFaultError extends LonghandError {
  override readonly name = 'LogFaultError';
  constructor(readonly rejection: LogFault) {
    super('audit_log_rejected', `${formatLogFault(rejection)}. ${logFaultRemedy}.`);
  }
}

const faultClauses: { readonly [kind in LogFault['kind']]: (seq: string) => string } = {
  removed: () => 'is missing',
  cut: (seq) => `ends at entry ${seq}`,
  rewritten: (seq) => `has an entry ${seq} that differs from the signed one`,
  broken: (seq) => `is broken at entry ${seq}, which is missing or was altered`,
  forged: (seq) => `has a head at entry ${seq} with a signature that this key did not make`,
  misnamed: () => 'has a row in `audit_logs` whose key does not match its namespace and tenant',
};

export interface LogRange {
  /** The first entry to check; the empty log for one that was never signed. */
  readonly from: LogEnd;
  /** The last entry to check. */
  readonly to: LogEnd;
}

/** Entries of one read. */
const batchSize = 500;

/**
 * Finds the first break; null when each entry belongs to this log and extends the one before, and both ends match `range`.
 *
 *
 * @param log the key of the log
 */
export async function findBreak(
  db: Kysely<Tables>,
  log: string,
  { from, to }: LogRange,
): Promise<Pick<LogFault, 'kind' | 'seq'> | null> {
  let last: LogEnd | null = from.seq === 0 ? from : null;
  let next = from.seq === 0 ? 1 : from.seq;
  while (next <= to.seq) {
    const rows = await db
      .selectFrom('audit_entries')
      .select('entry')
      .where('log', '=', log)
      .where('seq', '>=', next)
      .where('seq', '<=', to.seq)
      .orderBy('seq')
      .limit(batchSize)
      .execute();
    if (rows.length === 0) break;
    for (const { entry } of rows) {
      const auditEntry = JSON.parse(entry) as AuditEntry;
      const hash = computeEntryHash(auditEntry.previous, computeBodyDigest(auditEntry, sha256), sha256);
      // An entry of another log could continue the hash chain as well.
      const follows =
        toLogKey(auditEntry) === log && auditEntry.seq === next && (last === null || auditEntry.previous === last.hash);
      if (!follows || hash !== auditEntry.hash) return { kind: next === from.seq ? 'rewritten' : 'broken', seq: next };
      if (next === from.seq && hash !== from.hash) return { kind: 'rewritten', seq: next };
      last = { seq: next, hash };
      next += 1;
    }
  }
  if (next <= to.seq) return { kind: 'broken', seq: next };
  return last !== null && last.hash !== to.hash ? { kind: 'broken', seq: to.seq } : null;
}
