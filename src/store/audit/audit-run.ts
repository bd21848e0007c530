/**
 * Records a run's actions in the audit log, in the transaction that archives the run, and so exactly once.
 *
 * A chain that was erased while it ran is recorded as well, without the content that an erasure removes:
 *
 * 1. Its entries are the same, in the same places, with names of tools and agents, outcomes, counts and times.
 * 2. No text, no salt and no person's name is written.
 * 3. An entry behind the run says when and by whom its chain was erased. So readers and verifiers of the log, or of an export
 *    of it, see its contents as erased.
 */

import type { Transaction } from 'kysely';
import { type AuditedRun, computeAuditDrafts } from '../../core/audit/audit-drafts.js';
import type { AuditDraft, ErasureScope } from '../../core/audit/entry.js';
import type { AuditPolicy } from '../../core/audit/policy.js';
import type { FoldedTurn } from '../../core/engine/fold-turns.js';
import type { Chain } from '../../core/model/chain.js';
import type { Tables } from '../db/store.js';
import { appendAudit, createOutsideDraft } from './append.js';

export interface RunToAudit extends AuditedRun {
  /** As `refold` takes them. */
  readonly turns: readonly FoldedTurn[];
  /** The chain as the run found it; null for a chain's first run. */
  readonly before: Chain | null;
}

/**
 * Records a run.
 *
 * Contract: throws what the database throws, and then nothing of the transaction may hold.
 *
 * @returns how many entries were added; 0 for a run that was told before
 * @example
 * await putRun(store, segment, (tx) => auditRun(tx, { namespace, chainId, ...segment.run, turns, before }, policy));
 */
export async function auditRun(tx: Transaction<Tables>, run: RunToAudit, policy: AuditPolicy = {}): Promise<number> {
  const drafts = computeAuditDrafts(run.turns, run.before, run, policy);
  return (await appendAudit(tx, drafts)).length;
}

/** The erasure that the run falls under. */
export interface RunErasure {
  readonly scope: ErasureScope;
  /** Who erased; null for nobody in particular. */
  readonly by: string | null;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Records a run that was erased while it ran.
 *
 * Contract: throws what the database throws, and then nothing of the transaction may hold.
 *
 * @returns how many entries were added, that of the erasure among them; 0 for a run that was told before
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
  const told = await appendAudit(tx, drafts, 'forgotten');
  const [first] = told;
  if (first === undefined) return 0;
  const { chainId } = run;
  const { namespace, tenant } = first;
  const contents = told.reduce((sum, entry) => sum + entry.contents.length, 0);
  const erased = createOutsideDraft(
    { namespace, tenant, who: { by, roles: [] }, at, chainId: scope === 'chain' ? chainId : null },
    { type: 'erased', what: { scope, chains: [chainId], contents } },
  );
  return told.length + (await appendAudit(tx, [erased])).length;
}

/** As which roles they did it says nothing of who they are. */
function removePerson(draft: AuditDraft): AuditDraft {
  return draft.who === null ? draft : { ...draft, who: { ...draft.who, by: null } };
}
