/**
 * Accepts logs as they are, although they differ from what the key signed before: for a person who restored a backup of the
 * database. An entry in each log records the person, the reason, and the head that was given up.
 */

import { type Actor, emptyLog, toLogKey } from '../../core/audit/index.js';
import { LonghandError } from '../../core/lib/index.js';
import { lockExclusive, type Store } from '../db/store.js';
import { appendAudit, createOutsideDraft } from './append.js';
import { type RecordedHead, replaceHeads } from './head-record.js';
import type { AuditKey } from './key.js';
import { findBreak, formatLogFault, type LogFault } from './log-faults.js';
import { checkHeads, createSignedHead, headsLockName, insertHeads } from './sign-heads.js';

export interface Acceptance {
  readonly who: Actor;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A log that cannot be accepted: its hash chain is broken, or its row names another log. */
class BrokenLogError extends LonghandError {
  override readonly name = 'BrokenLogError';

  constructor(message: string) {
    super('audit_log_broken', message);
  }
}

/**
 * Accepts and signs all logs with faults.
 *
 * @returns the accepted faults; empty when every log extends what was signed
 * @throws {AuditKeyError} for a record that cannot be read or written
 * @throws {BrokenLogError}
 */
export async function acceptLogs(
  store: Store,
  key: AuditKey,
  { who, reason, at }: Acceptance,
): Promise<readonly LogFault[]> {
  const { faults } = await checkHeads(store, key);
  // Before anything is written: a misnamed row may name an intact log.
  const misnamed = faults.find(({ kind }) => kind === 'misnamed');
  if (misnamed !== undefined) {
    throw new BrokenLogError(`${formatLogFault(misnamed)}. Restore an intact backup of the database.`);
  }
  const accepted: RecordedHead[] = [];
  for (const rejection of faults) {
    const { namespace, tenant, kind: fault, head } = rejection;
    const end = await store.db
      .selectFrom('audit_logs')
      .selectAll()
      .where('log', '=', toLogKey(rejection))
      .executeTakeFirst();
    const broken = await findBreak(store.db, toLogKey(rejection), { from: emptyLog, to: end ?? emptyLog });
    if (broken !== null) {
      throw new BrokenLogError(
        `${formatLogFault(rejection)}, and its hash chain is broken at entry ${broken.seq}. Restore an intact backup of the database.`,
      );
    }
    const draft = createOutsideDraft(
      { namespace, tenant, who, at },
      { type: 'accepted', what: { fault, signed: head === null ? null : { seq: head.seq, head: head.hash } } },
    );
    const parts = [{ part: 'reason', original: reason, stored: reason }] as const;
    const added = await store.write((tx) => appendAudit(tx, [{ ...draft, parts }]));
    for (const entry of added) accepted.push(createSignedHead(key, entry, entry, at));
  }
  if (accepted.length === 0) return faults;
  await store.write(async (tx) => {
    await lockExclusive(tx, store, headsLockName);
    replaceHeads(key, store, accepted);
    await insertHeads(tx, key, accepted);
  });
  return faults;
}
