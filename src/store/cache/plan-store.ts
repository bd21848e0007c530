/**
 * Plans of chains that ended in success, shared by workers.
 *
 * P1 A scope has at most one plan of a goal, and the newest 100 plans; each expires after 30 days.
 * P2 A plan is content of its chain: it is deleted with it, and not stored when the chain was erased in the meantime.
 * P3 With encryption, goals and tasks are sealed. A plan that does not open is not a plan.
 */

import { normalizeTasks } from '../../core/engine/index.js';
import { computeDigest, isObject, toCanonicalJson } from '../../core/lib/index.js';
import { defaults, type PlanScope, type StoredPlan } from '../../core/model/index.js';
import { type EraseTarget, matchTarget } from '../archive/erase.js';
import { erasureLockName, findErasure } from '../archive/find-erasure.js';
import type { ChainKey } from '../archive/run-rows.js';
import { openText, sealText, type TextSealer } from '../db/sealed-text.js';
import { lockShared, type Store, type StoreTransaction } from '../db/store.js';

export interface PlanStore {
  /** Returns the plans of a scope, the newest first. */
  readonly list: (scope: PlanScope) => Promise<readonly StoredPlan[]>;
  readonly put: (scope: PlanScope, plan: StoredPlan) => Promise<void>;
}

interface PlanStoreOptions {
  readonly namespace: string;
  /** Null without encryption. */
  readonly sealer: TextSealer | null;
  readonly now?: () => number;
}

export function createPlanStore(store: Store, options: PlanStoreOptions): PlanStore {
  const { namespace, sealer, now = Date.now } = options;
  return {
    list: async ({ key }) => {
      const rows = await store.db
        .selectFrom('reused_plans')
        .select('content')
        .where('namespace', '=', namespace)
        .where('scope', '=', key)
        .where('expires_at', '>', now())
        .orderBy('stored_at', 'desc')
        .limit(defaults.plansKept)
        .execute();
      return rows.flatMap(({ content }) => openPlan(content, sealer));
    },
    put: (scope, plan) =>
      store.write(async (tx) => {
        await lockShared(tx, store, erasureLockName);
        const chain = { namespace, ...plan, tenant: scope.tenant };
        if ((await findErasure(tx, chain)) !== null) return;
        await insertPlan(tx, scope, { plan, namespace, sealer, at: now() });
        await prunePlans(tx, { namespace, scope: scope.key, at: now() });
      }),
  };
}

/** Deletes the plans of a chain and its sub-chains, of a person or of a tenant. */
export async function erasePlans(tx: StoreTransaction, namespace: string, what: EraseTarget): Promise<void> {
  await tx.deleteFrom('reused_plans').where('namespace', '=', namespace).where(matchTarget(what)).execute();
}

/** Deletes the plans of a chain whose retention has ended. A later plan belongs to another chain with the same id. */
export async function deletePlans(store: Store, { namespace, chainId }: ChainKey, closedAt: number): Promise<void> {
  await store.write((tx) =>
    tx
      .deleteFrom('reused_plans')
      .where('namespace', '=', namespace)
      .where('chain_id', '=', chainId)
      .where('stored_at', '<=', closedAt)
      .execute(),
  );
}

interface PlanRow extends Pick<PlanStoreOptions, 'namespace' | 'sealer'> {
  readonly plan: StoredPlan;
  readonly at: number;
}

async function insertPlan(
  tx: StoreTransaction,
  { key, tenant }: PlanScope,
  { plan, namespace, sealer, at }: PlanRow,
): Promise<void> {
  const goal = plan.goal.replace(/\s+/g, ' ').trim();
  const values = {
    person: plan.user,
    chain_id: plan.chainId,
    content: sealText(JSON.stringify(plan), tenant, sealer),
    stored_at: at,
    expires_at: at + defaults.planDays * dayMs,
  };
  const id = computeDigest(toCanonicalJson([namespace, key, goal]));
  await tx
    .insertInto('reused_plans')
    .values({ id, namespace, scope: key, tenant: tenant ?? '', ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}

const dayMs = 86_400_000;

/** P1. */
async function prunePlans(
  tx: StoreTransaction,
  { namespace, scope, at }: { readonly namespace: string; readonly scope: string; readonly at: number },
): Promise<void> {
  await tx.deleteFrom('reused_plans').where('expires_at', '<=', at).execute();
  const old = await tx
    .selectFrom('reused_plans')
    .select('id')
    .where('namespace', '=', namespace)
    .where('scope', '=', scope)
    .orderBy('stored_at', 'desc')
    .limit(defaults.plansKept)
    .offset(defaults.plansKept)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom('reused_plans').where('id', 'in', ids).execute();
}

/** P3. */
function openPlan(content: string, sealer: TextSealer | null): readonly StoredPlan[] {
  try {
    return parsePlan(openText(content, sealer) ?? 'null');
  } catch {
    return [];
  }
}

function parsePlan(text: string): readonly StoredPlan[] {
  const plan: unknown = JSON.parse(text);
  if (!isObject(plan) || typeof plan.goal !== 'string' || typeof plan.chainId !== 'string') return [];
  const { goal, chainId, user, startedAt } = plan;
  const { tasks } = normalizeTasks(plan.tasks);
  const person = typeof user === 'string' ? user : null;
  return [{ tasks, goal, chainId, user: person, startedAt: typeof startedAt === 'number' ? startedAt : 0 }];
}
