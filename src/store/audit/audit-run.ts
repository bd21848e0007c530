/** What a run of a chain did, in the audit log: told where the run is archived, in the same transaction, and so exactly once. */

import type { Transaction } from 'kysely';
import { type AuditedRun, auditEntries } from '../../core/audit/of-run.js';
import type { AuditPolicy } from '../../core/audit/policy.js';
import type { TakenTurn } from '../../core/engine/refold.js';
import type { Chain } from '../../core/model/chain.js';
import type { Tables } from '../db/tables.js';
import { appendAudit } from './append.js';

export interface RunToAudit extends AuditedRun {
  /** As `refold` takes them. */
  readonly turns: readonly TakenTurn[];
  /** The chain as the run found it; null for a chain's first run. */
  readonly before: Chain | null;
}

/**
 * Contract: throws what the database throws, and then nothing of the transaction may hold.
 *
 * @returns how many entries were added; 0 for a run that was told before
 * @example
 * await putRun(store, segment, (tx) => auditRun(tx, { namespace, chainId, ...segment.run, turns, before }, policy));
 */
export async function auditRun(tx: Transaction<Tables>, run: RunToAudit, policy: AuditPolicy = {}): Promise<number> {
  const drafts = auditEntries(run.turns, run.before, run, policy);
  return (await appendAudit(tx, drafts)).length;
}
