/**
 * What agents remember between chains.
 *
 * M1 A memory belongs to one agent of one tenant, and to one of its users if so stored. Others never read it.
 * M2 A key has one text: the last writer's. A scope has a most number of memories, also with several writers.
 * M3 A memory is content of the chain that wrote it: it is erased with it, and not stored when the chain was erased in the meantime.
 */

import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import { type EraseTarget, matchTarget } from '../archive/erase.js';
import { erasureLockName, findErasure } from '../archive/find-erasure.js';
import { lockExclusive, lockShared, type Store, type StoreTransaction, type Tables } from '../db/store.js';

export interface MemoryScope {
  readonly namespace: string;
  readonly tenant: string | null;
  readonly agent: string;
  /** The user whose chains alone recall it; null for all users of the tenant. */
  readonly owner: string | null;
}

interface Memory {
  readonly key: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly storedAt: number;
  readonly expiresAt: number;
}

/** A memory with its scope and the chain that wrote it. */
export interface ListedMemory extends Memory, Omit<MemoryScope, 'namespace'> {
  readonly chainId: string;
  /** The user of that chain. */
  readonly user: string | null;
}

interface NewMemory {
  readonly key: string;
  readonly text: string;
  readonly ttlMs: number;
  /** Most memories of the scope. */
  readonly most: number;
  /** The chain that writes it; `startedAt` in milliseconds since 1970. */
  readonly chain: { readonly chainId: string; readonly user: string | null; readonly startedAt: number };
}

/** Which memories; a tenant of null selects those without a tenant. */
export interface MemoryFilter {
  readonly namespace: string;
  readonly tenant?: string | null | undefined;
  readonly agent?: string | undefined;
  /** The user who owns it, or whose chain wrote it. */
  readonly user?: string | undefined;
  readonly key?: string | undefined;
}

export interface MemoryStore {
  /** `full`: the scope has its most memories, and none of this key. `erased`: the chain was erased. */
  readonly put: (scope: MemoryScope, memory: NewMemory) => Promise<'stored' | 'full' | 'erased'>;
  /** Returns whether there was one. */
  readonly forget: (scope: MemoryScope, key: string) => Promise<boolean>;
  readonly get: (scope: MemoryScope, key: string) => Promise<Memory | null>;
  /** Returns those that have not expired, the newest first. */
  readonly list: (scope: MemoryScope) => Promise<readonly Memory[]>;
  /** Returns those of all scopes that match, by scope and key. */
  readonly find: (filter: MemoryFilter) => Promise<readonly ListedMemory[]>;
  /** Returns the number of erased memories. */
  readonly erase: (filter: MemoryFilter) => Promise<number>;
}

type Row = Tables['memories'];

export function createMemoryStore(store: Store, now: () => number = Date.now): MemoryStore {
  const { db, write } = store;
  const select = (filter: Partial<Row>) =>
    db
      .selectFrom('memories')
      .selectAll()
      .where((eb) => eb.and(filter))
      .where('expires_at', '>', now());
  return {
    put: (scope, memory) =>
      write(async (tx) => {
        const { chain, most } = memory;
        await lockShared(tx, store, erasureLockName);
        const { namespace, tenant } = scope;
        if ((await findErasure(tx, { ...chain, namespace, tenant })) !== null) return 'erased';
        await lockExclusive(tx, store, `memory:${JSON.stringify(Object.values(toColumns(scope)))}`);
        await tx.deleteFrom('memories').where('expires_at', '<=', now()).execute();
        if (await isFull(tx, scope, memory.key, most)) return 'full';
        await insertMemory(tx, scope, memory, now());
        return 'stored';
      }),
    forget: async (scope, key) => {
      const deleted = await write((tx) =>
        tx
          .deleteFrom('memories')
          .where((eb) => eb.and({ ...toColumns(scope), key }))
          .executeTakeFirst(),
      );
      return deleted.numDeletedRows > 0n;
    },
    get: async (scope, key) => {
      const row = await select({ ...toColumns(scope), key }).executeTakeFirst();
      return row === undefined ? null : toMemory(row);
    },
    list: async (scope) => {
      const rows = await select(toColumns(scope)).orderBy('stored_at', 'desc').orderBy('key').execute();
      return rows.map(toMemory);
    },
    find: async (filter) => {
      const query = select({}).where(matchFilter(filter));
      return (await sortByScope(query).execute()).map(toListedMemory);
    },
    erase: async (filter) => {
      const deleted = await write((tx) => tx.deleteFrom('memories').where(matchFilter(filter)).executeTakeFirst());
      return Number(deleted.numDeletedRows);
    },
  };
}

/** Deletes the memories that a chain, a person's chains or a tenant's have written, and those that a person owns (M3). */
export async function eraseMemories(tx: StoreTransaction, namespace: string, what: EraseTarget): Promise<void> {
  await tx.deleteFrom('memories').where('namespace', '=', namespace).where(matchTarget(what)).execute();
  if (!('user' in what)) return;
  await tx.deleteFrom('memories').where('namespace', '=', namespace).where('owner', '=', what.user).execute();
}

function toColumns({ namespace, tenant, agent, owner }: MemoryScope) {
  return { namespace, tenant: tenant ?? '', agent, owner: owner ?? '' };
}

async function isFull(tx: StoreTransaction, scope: MemoryScope, key: string, max: number): Promise<boolean> {
  const others = await tx
    .selectFrom('memories')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where((eb) => eb.and(toColumns(scope)))
    .where('key', '!=', key)
    .executeTakeFirstOrThrow();
  return others.count >= max;
}

async function insertMemory(
  tx: StoreTransaction,
  scope: MemoryScope,
  { key, text, ttlMs, chain }: NewMemory,
  at: number,
): Promise<void> {
  const content = { text, chain_id: chain.chainId, person: chain.user, stored_at: at, expires_at: at + ttlMs };
  await tx
    .insertInto('memories')
    .values({ ...toColumns(scope), key, ...content })
    .onConflict((there) => there.columns(['namespace', 'tenant', 'agent', 'owner', 'key']).doUpdateSet(content))
    .execute();
}

function sortByScope<T>(query: SelectQueryBuilder<Tables, 'memories', T>) {
  return query.orderBy('tenant').orderBy('agent').orderBy('owner').orderBy('key');
}

function matchFilter({ namespace, tenant, agent, user, key }: MemoryFilter) {
  return (eb: ExpressionBuilder<Tables, 'memories'>) =>
    eb.and([
      eb('namespace', '=', namespace),
      ...(tenant === undefined ? [] : [eb('tenant', '=', tenant ?? '')]),
      ...(agent === undefined ? [] : [eb('agent', '=', agent)]),
      ...(user === undefined ? [] : [eb.or([eb('owner', '=', user), eb('person', '=', user)])]),
      ...(key === undefined ? [] : [eb('key', '=', key)]),
    ]);
}

function toMemory({ key, text, stored_at, expires_at }: Row): Memory {
  return { key, text, storedAt: stored_at, expiresAt: expires_at };
}

function toListedMemory(row: Row): ListedMemory {
  const { tenant, agent, owner, chain_id: chainId, person: user } = row;
  return { ...toMemory(row), agent, tenant: tenant || null, owner: owner || null, chainId, user };
}
