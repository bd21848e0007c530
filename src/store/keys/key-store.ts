/**
 * API keys of the gateway. The store has the hash of each secret, never the key.
 *
 * 1. Creation and revocation are entries of the audit log, in the same transaction.
 * 2. A key is found only in the namespace it was created for: gateways of several namespaces may share a store.
 * 3. Revoked and expired keys stay, so that ids in the audit log can be resolved.
 */

import type { ExpressionBuilder, Selectable } from 'kysely';
import type { AuditedKey } from '../../core/audit/index.js';
import { LonghandError } from '../../core/lib/index.js';
import { type AuditedChange, appendAudit, createOutsideDraft } from '../audit/append.js';
import type { KeyTables } from '../db/migrations/0001-tables/keys.js';
import { lockExclusive, type Store, type StoreTransaction } from '../db/store.js';

/** What a key gives to its holder. */
export interface KeyGrant {
  /** Null for all tenants. */
  readonly tenant: string | null;
  /** Null for a service, which states the user. */
  readonly user: string | null;
  readonly scopes: readonly string[];
  /** Null if the caller states them. */
  readonly roles: readonly string[] | null;
  /** Roles of viewers; the first is the default. */
  readonly views: readonly [string, ...string[]];
  readonly reach: 'own' | 'all';
  /** Null for the gateway's default. */
  readonly requestsPerMinute: number | null;
  /** Milliseconds since 1970; null for a key that does not expire. */
  readonly expiresAt: number | null;
}

export interface NewKey extends KeyGrant {
  readonly id: string;
  /** Hexadecimal SHA-256 of the secret. */
  readonly secretHash: string;
  readonly name: string;
}

export interface StoredKey extends NewKey {
  readonly createdBy: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
  readonly revokedBy: string | null;
  /** To the minute. */
  readonly lastUsedAt: number | null;
}

/** The keys that a caller manages. */
export interface KeyReach {
  /** Null for all tenants. */
  readonly tenant: string | null;
  /** Null for all users and services. */
  readonly user: string | null;
}

/** The tenant or user whose keys are erased. */
export type KeyOwner = { readonly tenant: string } | { readonly user: string };

interface KeyPage {
  readonly keys: readonly StoredKey[];
  /** For the next page; null on the last. */
  readonly cursor: string | null;
}

interface KeyListOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Lists revoked and expired keys too. */
  readonly withInactive?: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface KeyStore {
  /** @throws {LonghandError} `tenant_limit_reached` */
  readonly create: (key: NewKey, change: AuditedChange) => Promise<StoredKey>;
  /** Finds a key by its id, also a revoked or expired one. */
  readonly find: (id: string) => Promise<StoredKey | null>;
  /** Lists keys, the newest first. @throws {LonghandError} `invalid_cursor` */
  readonly list: (reach: KeyReach, options: KeyListOptions) => Promise<KeyPage>;
  /** Revokes a key permanently; null if the caller reaches no such key. A second revocation changes nothing. */
  readonly revoke: (id: string, reach: KeyReach, change: AuditedChange) => Promise<StoredKey | null>;
  /** Records the time of use, at most once a minute. */
  readonly recordUse: (id: string, at: number) => Promise<void>;
}

/** Valid keys of one tenant: an admin key that leaked must not fill the store. */
export const maxKeysPerTenant = 1_000;

/** Deletes the keys of a tenant, or of a user, within a transaction. Entries of the audit log keep their ids. */
export async function eraseKeys(tx: StoreTransaction, namespace: string, keyOwner: KeyOwner): Promise<void> {
  const all = tx.deleteFrom('gateway_keys').where('namespace', '=', namespace);
  await ('tenant' in keyOwner
    ? all.where('tenant', '=', keyOwner.tenant)
    : all.where('person', '=', keyOwner.user)
  ).execute();
}

/** Milliseconds between two writes of a key's time of use. */
export const useInterval = 60_000;

/** @param namespace of Temporal, which the gateway serves */
export function createKeyStore(store: Store, namespace: string): KeyStore {
  const { db, write } = store;
  return {
    create: (key, { who, at }) =>
      write(async (tx) => {
        await lockExclusive(tx, store, `keys:${JSON.stringify([namespace, key.tenant])}`);
        await checkKeyCount(tx, namespace, key.tenant, at);
        const created = {
          ...key,
          createdBy: who.by,
          createdAt: at,
          revokedAt: null,
          revokedBy: null,
          lastUsedAt: null,
        };
        await tx.insertInto('gateway_keys').values(toRow(namespace, created)).execute();
        const place = { namespace, tenant: key.tenant, who, at };
        await appendAudit(tx, [createOutsideDraft(place, { type: 'key_created', what: toAuditedKey(key) })]);
        return created;
      }),
    find: async (id) => {
      const row = await db
        .selectFrom('gateway_keys')
        .selectAll()
        .where('namespace', '=', namespace)
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : fromRow(row);
    },
    list: async (reach, { limit, cursor, withInactive = false, now }) => {
      const after = cursor === undefined ? null : parseKeyCursor(cursor);
      let query = db.selectFrom('gateway_keys').selectAll().where('namespace', '=', namespace);
      if (reach.tenant !== null) query = query.where('tenant', '=', reach.tenant);
      if (reach.user !== null) query = query.where('person', '=', reach.user);
      if (!withInactive) {
        query = query
          .where('revoked_at', 'is', null)
          .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]));
      }
      if (after !== null) {
        query = query.where((where) =>
          where.or([
            where('created_at', '<', after.createdAt),
            where.and([where('created_at', '=', after.createdAt), where('id', '<', after.id)]),
          ]),
        );
      }
      const rows = await query
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      const keys = rows.slice(0, limit).map(fromRow);
      const last = keys.at(-1);
      return { keys, cursor: rows.length > limit && last !== undefined ? formatKeyCursor(last) : null };
    },
    revoke: (id, reach, { who, at }) =>
      write(async (tx) => {
        const isReached = reachKey(namespace, id, reach);
        // The update comes first: of two revocations at a time, the later one waits here, and then reads the row of the first.
        const row = await tx
          .updateTable('gateway_keys')
          .set({ revoked_at: at, revoked_by: who.by })
          .where(isReached)
          .where('revoked_at', 'is', null)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) {
          const before = await tx.selectFrom('gateway_keys').selectAll().where(isReached).executeTakeFirst();
          return before === undefined ? null : fromRow(before);
        }
        const revoked = fromRow(row);
        const { tenant, name, user } = revoked;
        const what = { key: id, name, user };
        await appendAudit(tx, [createOutsideDraft({ namespace, tenant, who, at }, { type: 'key_revoked', what })]);
        return revoked;
      }),
    recordUse: async (id, at) => {
      await write((tx) =>
        tx
          .updateTable('gateway_keys')
          .set({ last_used_at: at })
          .where('id', '=', id)
          .where((where) =>
            where.or([where('last_used_at', 'is', null), where('last_used_at', '<=', at - useInterval)]),
          )
          .execute(),
      );
    },
  };
}

async function checkKeyCount(
  tx: StoreTransaction,
  namespace: string,
  tenant: string | null,
  now: number,
): Promise<void> {
  const { count } = await tx
    .selectFrom('gateway_keys')
    .select((select) => select.fn.countAll<number | string>().as('count'))
    .where('namespace', '=', namespace)
    .where('tenant', tenant === null ? 'is' : '=', tenant)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .executeTakeFirstOrThrow();
  if (Number(count) < maxKeysPerTenant) return;
  const owner = tenant === null ? 'All tenants together have' : `Tenant ${tenant} has`;
  throw new LonghandError('tenant_limit_reached', `${owner} ${maxKeysPerTenant} valid API keys. Revoke unused ones.`);
}

function reachKey(namespace: string, id: string, { tenant, user }: KeyReach) {
  return (where: ExpressionBuilder<KeyTables, 'gateway_keys'>) =>
    where.and([
      where('namespace', '=', namespace),
      where('id', '=', id),
      ...(tenant === null ? [] : [where('tenant', '=', tenant)]),
      ...(user === null ? [] : [where('person', '=', user)]),
    ]);
}

function toAuditedKey({ id, name, user, scopes, roles, views, reach, expiresAt }: NewKey): AuditedKey {
  return { key: id, name, user, scopes, roles, views, reach, expiresAt };
}

function toRow(namespace: string, key: StoredKey): KeyTables['gateway_keys'] {
  return {
    id: key.id,
    namespace,
    tenant: key.tenant,
    person: key.user,
    name: key.name,
    secret_hash: key.secretHash,
    scopes: JSON.stringify(key.scopes),
    roles: key.roles === null ? null : JSON.stringify(key.roles),
    views: JSON.stringify(key.views),
    reach: key.reach,
    requests_per_minute: key.requestsPerMinute,
    created_by: key.createdBy,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    revoked_by: key.revokedBy,
    last_used_at: key.lastUsedAt,
  };
}

function fromRow(row: Selectable<KeyTables['gateway_keys']>): StoredKey {
  return {
    id: row.id,
    tenant: row.tenant,
    user: row.person,
    name: row.name,
    secretHash: row.secret_hash,
    scopes: JSON.parse(row.scopes) as StoredKey['scopes'],
    roles: row.roles === null ? null : (JSON.parse(row.roles) as readonly string[]),
    views: JSON.parse(row.views) as StoredKey['views'],
    reach: row.reach,
    requestsPerMinute: row.requests_per_minute,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by,
    lastUsedAt: row.last_used_at,
  };
}

/** The place in a list of keys, as text for a caller to send back. */
function formatKeyCursor({ createdAt, id }: Pick<StoredKey, 'createdAt' | 'id'>): string {
  return `${createdAt}.${id}`;
}

/** @throws {LonghandError} `invalid_cursor` */
function parseKeyCursor(cursor: string): Pick<StoredKey, 'createdAt' | 'id'> {
  const [, createdAt, id] = /^(\d{1,15})\.([0-9a-z]{1,40})$/.exec(cursor) ?? [];
  if (createdAt === undefined || id === undefined) {
    throw new LonghandError('invalid_cursor', 'Invalid cursor. Use the one of the page before, or none for the first.');
  }
  return { createdAt: Number(createdAt), id };
}
