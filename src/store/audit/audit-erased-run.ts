/**
 * What a run of a chain did that was erased while it ran: told when the run is archived, as any other run is, but for what an
 * erasure takes.
 *
 * 1. That it acted stays to be told: the same entries in the same places, with names of tools and agents, outcomes, counts
 *    and times.
 * 2. No word that was said, no salt, and no person's name is written.
 * 3. The log tells why: behind the run stands that its chain was erased, when and by whom. So its contents are told as erased
 *    to whoever reads or verifies the log or an export of it.
 */

import type { Transaction } from 'kysely';
import type { AuditDraft, ErasureScope } from '../../core/audit/entry.js';
import { auditEntries } from '../../core/audit/of-run.js';
import type { AuditPolicy } from '../../core/audit/policy.js';
import type { Tables } from '../db/tables.js';
import { appendAudit } from './append.js';
import type { RunToAudit } from './audit-run.js';
import { outsideDraft } from './outside.js';

/** The erasure that the run falls under. */
export interface RunErasure {
  readonly scope: ErasureScope;
  /** Who erased; null for nobody in particular. */
  readonly by: string | null;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

/**
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
  const drafts = auditEntries(run.turns, run.before, run, policy).map(withoutPerson);
  const told = await appendAudit(tx, drafts, 'forgotten');
  const [first] = told;
  if (first === undefined) return 0;
  const { chainId } = run;
  const { namespace, tenant } = first;
  const contents = told.reduce((sum, entry) => sum + entry.contents.length, 0);
  const erased = outsideDraft(
    { namespace, tenant, who: { by, roles: [] }, at, chainId: scope === 'chain' ? chainId : null },
    { type: 'erased', what: { scope, chains: [chainId], contents } },
  );
  return told.length + (await appendAudit(tx, [erased])).length;
}

/** As which roles they did it says nothing of who they are. */
function withoutPerson(draft: AuditDraft): AuditDraft {
  return draft.who === null ? draft : { ...draft, who: { ...draft.who, by: null } };
}
