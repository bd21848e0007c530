/**
 * Records a run's actions in the audit log, exactly once: in the transaction that archives the run.
 *
 * A chain that was erased while it ran is recorded without the content that an erasure removes:
 *
 * 1. The entries are the same, in the same places, with names of tools and agents, outcomes, counts and times.
 * 2. No text, no salt and no person's name is written.
 * 3. A last entry records the time and author of the erasure, so that readers and verifiers of the log, or of an export,
 *    see the contents as erased.
 */

import type { Transaction } from 'kysely';
import {
  type AuditDraft,
  type AuditedRun,
  type AuditPolicy,
  computeAuditDrafts,
  type ErasureScope,
} from '../../core/audit/index.js';
import type { FoldedTurn } from '../../core/engine/index.js';
import type { Chain } from '../../core/model/index.js';
import type { Tables } from '../db/store.js';
import { appendAudit, createOutsideDraft } from './append.js';

export interface RunToAudit extends AuditedRun {
  /** In the form of `foldTurns`. */
  readonly turns: readonly FoldedTurn[];
  /** The chain before the run; null for a chain's first run. */
  readonly before: Chain | null;
}

/**
 * Records a run.
 *
 * Contract: throws the errors of the database; the caller must then roll back the transaction.
 *
 * @returns the number of added entries; 0 for a run that was recorded before
 * @example
 * await putRun(store, segment, (tx) => auditRun(tx, { namespace, chainId, ...segment.run, turns, before }, policy));
 */
export async function auditRun(tx: Transaction<Tables>, run: RunToAudit, policy: AuditPolicy = {}): Promise<number> {
  const drafts = computeAuditDrafts(run.turns, run.before, run, policy);
  return (await appendAudit(tx, drafts)).length;
}

/** The erasure that covers a run. */
export interface RunErasure {
  readonly scope: ErasureScope;
  /** The person who erased; null when unknown. */
  readonly by: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Records a run that was erased while it ran.
 *
 * Contract: throws the errors of the database; the caller must then roll back the transaction.
 *
 * @returns the number of added entries, including that of the erasure; 0 for a run that was recorded before
 * @example
 * await auditErasedRun(tx, { namespace, chainId, ...read.run, turns, before }, { scope: 'user', by: 'ana', at }, policy);
 */
export async function auditErasedRun(
  tx: Transaction<Tables>,
  run: RunToAudit,
  { scope, by, at }: RunErasure,
  policy: AuditPolicy = {},
): Promise<number> {
  const drafts = computeAuditDrafts(run.turns, run.before, run, policy).map(removePerson);
  const added = await appendAudit(tx, drafts, 'forgotten');
  const [first] = added;
  if (first === undefined) return 0;
  const { chainId } = run;
  const { namespace, tenant } = first;
  const contents = added.reduce((sum, entry) => sum + entry.contents.length, 0);
  const erased = createOutsideDraft(
    { namespace, tenant, who: { by, roles: [] }, at, chainId: scope === 'chain' ? chainId : null },
    { type: 'erased', what: { scope, chains: [chainId], contents } },
  );
  return added.length + (await appendAudit(tx, [erased])).length;
}

/** Removes the name of the person. The roles remain: they identify nobody. */
function removePerson(draft: AuditDraft): AuditDraft {
  return draft.who === null ? draft : { ...draft, who: { ...draft.who, by: null } };
}
