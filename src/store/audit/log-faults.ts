/** Whether a log in its store still holds what was signed, and goes on from there without a break. */

import type { Kysely } from 'kysely';
import type { AuditEntry } from '../../core/audit/entry.js';
import { formatLogName, type LogHead, type LogName, toLogKey } from '../../core/audit/head.js';
import { computeBodyDigest, computeEntryHash, type LogEnd } from '../../core/audit/seal.js';
import { formatCount } from '../../core/lib/display.js';
import type { Tables } from '../db/store.js';
import { sha256 } from './key.js';

/** Why a log is not signed. */
export interface LogFault extends LogName {
  readonly kind:
    | 'removed'
    /** It ends before the head. */
    | 'cut'
    /** Another entry has the place of the head. */
    | 'rewritten'
    /** Behind the head an entry is missing or does not follow on the one before. */
    | 'broken'
    /** A head in the database has the id of the key, and not its signature. */
    | 'forged'
    /** The key of its row in `audit_logs` is not that of the namespace and the tenant in the row. */
    | 'misnamed';
  readonly seq: number;
  /** What was signed last; null for a log that never was. */
  readonly head: LogHead | null;
}

/** One sentence, without its full stop. */
export function formatLogFault({ kind, seq, head, ...log }: LogFault): string {
  const signed =
    head === null
      ? ''
      : `, although its head was signed at entry ${formatCount(head.seq)} (${new Date(head.at).toISOString()})`;
  return `The audit log of ${formatLogName(log)} ${faultClauses[kind](formatCount(seq))}${signed}`;
}

/** What a person does about it. */
export const logFaultRemedy =
  'Nothing of it is signed until this is cleared up: find out who wrote to the database (`longhand audit verify --anchor`). If a backup was restored on purpose, run `longhand audit accept --reason "…"`';

/** That a log does not hold what its key has signed, where somebody wants it signed. */
export class LogFaultError extends Error {
  override readonly name = 'RefusedLogError';
  constructor(readonly refusal: LogFault) {
    super(`${formatLogFault(refusal)}. ${logFaultRemedy}.`);
  }
}

const faultClauses: { readonly [kind in LogFault['kind']]: (seq: string) => string } = {
  removed: () => 'is gone',
  cut: (seq) => `ends at entry ${seq}`,
  rewritten: (seq) => `has another entry ${seq} than was signed`,
  broken: (seq) => `is broken at entry ${seq}, which is missing or was altered`,
  forged: (seq) => `has a head at entry ${seq} with a signature that this key did not make`,
  misnamed: () => 'has a row in `audit_logs` whose key does not match its namespace and tenant',
};

export interface LogRange {
  /** From here on; nothing for a log that was never signed. */
  readonly from: LogEnd;
  /** Up to here. */
  readonly to: LogEnd;
}

/** Entries of one look. */
const batchSize = 500;

/**
 * Null where each entry belongs to this log and follows on the one before, and the ends are what they are said to be.
 *
 * @param log its key
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
      const found = JSON.parse(entry) as AuditEntry;
      const hash = computeEntryHash(found.previous, computeBodyDigest(found, sha256), sha256);
      // Entries of another log would be chained just as well.
      const follows = toLogKey(found) === log && found.seq === next && (last === null || found.previous === last.hash);
      if (!follows || hash !== found.hash) return { kind: next === from.seq ? 'rewritten' : 'broken', seq: next };
      if (next === from.seq && hash !== from.hash) return { kind: 'rewritten', seq: next };
      last = { seq: next, hash };
      next += 1;
    }
  }
  if (next <= to.seq) return { kind: 'broken', seq: next };
  return last !== null && last.hash !== to.hash ? { kind: 'broken', seq: to.seq } : null;
}
