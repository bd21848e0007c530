/** API keys in the store: what a gateway finds, lists and revokes, and the audit entries of each change. */

import { expect, it } from 'vitest';
import type { Store } from '../../../src/entries/store.js';
import { createKeyStore, eraseKeys, maxKeysPerTenant, type NewKey } from '../../../src/store/keys/key-store.js';
import { matchError } from '../../support/match-error.js';
import { alsoOnPostgres, describeStores } from '../../support/stores.js';

const namespace = 'default';
const ops = { who: { by: 'ops', roles: ['admin'] }, at: 1_000 };
const everything = { tenant: null, user: null };

function aKey(more: Partial<NewKey> = {}): NewKey {
  return {
    ...{ id: 'k1', secretHash: 'ab'.repeat(32), name: 'web', tenant: 'acme', user: 'ana' },
    ...{ scopes: ['start', 'read'], roles: ['clerk'], views: ['end_user'], reach: 'own' },
    ...{ requestsPerMinute: 60, expiresAt: null },
    ...more,
  };
}

async function readEntries({ db }: Store) {
  const rows = await db.selectFrom('audit_entries').select(['entry', 'tenant']).orderBy('log').orderBy('seq').execute();
  return rows.map(({ entry, tenant }) => {
    const { type, what, who } = JSON.parse(entry) as Record<string, unknown>;
    return { type, what, who, tenant };
  });
}

describeStores((open) => {
  it('returns a key as it was created, only in its namespace', async () => {
    const store = await open();
    const keys = createKeyStore(store, namespace);
    const unset = { revokedAt: null, revokedBy: null, lastUsedAt: null };
    const service = aKey({ id: 'k2', tenant: null, user: null, roles: null, reach: 'all', requestsPerMinute: null });
    for (const key of [aKey({ expiresAt: 1_800_000_000_000 }), service]) {
      const created = await keys.create(key, ops);
      expect(created).toEqual({ ...key, ...unset, createdBy: 'ops', createdAt: 1_000 });
      expect(await keys.find(key.id)).toEqual(created);
      expect(await createKeyStore(store, 'other').find(key.id)).toBeNull();
    }
    expect(await keys.find('k3')).toBeNull();
  });

  it('records creation and revocation in the audit log of the tenant, without the key or its hash', async () => {
    const store = await open();
    const keys = createKeyStore(store, namespace);
    const key = aKey();
    await keys.create(key, ops);
    await keys.revoke('k1', everything, { who: { by: 'eve', roles: [] }, at: 2_000 });
    await keys.revoke('k1', everything, { who: { by: 'bob', roles: [] }, at: 3_000 });
    const named = { key: 'k1', name: 'web', user: 'ana' };
    const { scopes, roles, views, reach, expiresAt } = key;
    expect(await readEntries(store)).toEqual([
      { type: 'key_created', what: { ...named, scopes, roles, views, reach, expiresAt }, who: ops.who, tenant: 'acme' },
      { type: 'key_revoked', what: named, who: { by: 'eve', roles: [] }, tenant: 'acme' },
    ]);
    expect(JSON.stringify(await readEntries(store))).not.toContain(key.secretHash);
    expect(await keys.find('k1')).toMatchObject({ revokedAt: 2_000, revokedBy: 'eve' });
  });

  it('revokes only keys within the reach of the caller', async () => {
    const keys = createKeyStore(await open(), namespace);
    await keys.create(aKey(), ops);
    await keys.create(aKey({ id: 'k2', tenant: null }), ops);
    const revoke = (id: string, tenant: string | null, user: string | null) =>
      keys.revoke(id, { tenant, user }, { ...ops, at: 5_000 });
    for (const attempt of [revoke('k1', 'other', null), revoke('k1', 'acme', 'bob'), revoke('k2', 'acme', null)])
      expect(await attempt).toBeNull();
    expect([await keys.find('k1'), await keys.find('k2')]).toMatchObject([{ revokedAt: null }, { revokedAt: null }]);
    expect(await revoke('k1', 'acme', 'ana')).toMatchObject({ id: 'k1', revokedAt: 5_000 });
    expect(await revoke('nothing', null, null)).toBeNull();
  });

  it('returns the first of two revocations at once to both callers, and records one', async () => {
    const store = await open();
    const keys = createKeyStore(store, namespace);
    for (let at = 0; at < 10; at++) {
      const id = `k${at}`;
      await keys.create(aKey({ id }), ops);
      const revoked = await Promise.all(
        ['eve', 'bob'].map((by) => keys.revoke(id, everything, { who: { by, roles: [] }, at: 2_000 })),
      );
      const stored = await keys.find(id);
      expect(stored?.revokedAt).toBe(2_000);
      expect(revoked).toEqual([stored, stored]);
    }
    expect((await readEntries(store)).filter(({ type }) => type === 'key_revoked')).toHaveLength(10);
  });

  it('erases the keys of a tenant or of a user, in its namespace', async () => {
    const store = await open();
    const [keys, others] = [createKeyStore(store, namespace), createKeyStore(store, 'other')];
    await keys.create(aKey(), ops);
    await keys.create(aKey({ id: 'k2', user: 'bob' }), ops);
    await keys.create(aKey({ id: 'k3', tenant: 'globex' }), ops);
    await keys.create(aKey({ id: 'k4', tenant: null, user: null }), ops);
    await others.create(aKey({ id: 'k5' }), ops);
    const erase = async (of: Parameters<typeof eraseKeys>[2]) => {
      await store.write((tx) => eraseKeys(tx, namespace, of));
      const page = await keys.list(everything, { limit: 10, now: 1 });
      return page.keys.map(({ id }) => id).toSorted();
    };
    expect(await erase({ user: 'ana' })).toEqual(['k2', 'k4']);
    expect(await erase({ tenant: 'acme' })).toEqual(['k4']);
    expect(await others.find('k5')).not.toBeNull();
  });

  it('lists the valid keys of a tenant or a user by pages, the newest first', async () => {
    const keys = createKeyStore(await open(), namespace);
    for (const [at, more] of [
      [1, {}],
      [2, { user: 'bob' }],
      [2, { tenant: 'other' }],
      [3, { expiresAt: 50 }],
      [4, {}],
    ] as const) {
      const id = `k${at}${'tenant' in more ? 'o' : 'a'}`;
      await keys.create(aKey({ id, ...more }), { ...ops, at });
    }
    await keys.revoke('k4a', everything, { ...ops, at: 40 });
    const list = async (tenant: string | null, user: string | null = null, withInactive = false) => {
      const found: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await keys.list({ tenant, user }, { limit: 1, cursor, withInactive, now: 100 });
        found.push(...page.keys.map(({ id }) => id));
        if (page.cursor === null) return found;
        cursor = page.cursor;
      }
    };
    expect(await list(null)).toEqual(['k2o', 'k2a', 'k1a']);
    expect(await list('acme')).toEqual(['k2a', 'k1a']);
    expect(await list('acme', 'bob')).toEqual(['k2a']);
    expect(await list('acme', 'ana', true)).toEqual(['k4a', 'k3a', 'k1a']);
    expect(await list('acme', '')).toEqual([]);
    for (const cursor of ['', 'x', '1', "1.k1'; drop table gateway_keys", '9'.repeat(30)])
      await expect(keys.list(everything, { limit: 1, cursor, now: 1 })).rejects.toThrow(matchError('invalid_cursor'));
  });

  it('writes the time of use at most once a minute', async () => {
    const keys = createKeyStore(await open(), namespace);
    await keys.create(aKey(), ops);
    const use = async (at: number) => {
      await keys.recordUse('k1', at);
      return (await keys.find('k1'))?.lastUsedAt;
    };
    expect([await use(100_000), await use(159_999), await use(160_000)]).toEqual([100_000, 100_000, 160_000]);
    await keys.recordUse('unknown', 1);
  });
}, alsoOnPostgres);

describeStores(
  (open) => {
    it('limits the valid keys of a tenant, and counts no expired and no revoked ones', async () => {
      const store = await open();
      const keys = createKeyStore(store, namespace);
      await keys.create(aKey(), ops);
      const [row] = await store.db.selectFrom('gateway_keys').selectAll().execute();
      await store.write(async (tx) => {
        for (let at = 1; at < maxKeysPerTenant; at++)
          await tx
            .insertInto('gateway_keys')
            .values({ ...row!, id: `k1${at}` })
            .execute();
      });
      await expect(keys.create(aKey({ id: 'more' }), ops)).rejects.toThrow(matchError('tenant_limit_reached'));
      expect(await keys.find('more')).toBeNull();
      await keys.create(aKey({ id: 'other', tenant: 'other' }), ops);
      await keys.create(aKey({ id: 'all', tenant: null }), ops);
      await keys.revoke('k1', everything, ops);
      await keys.create(aKey({ id: 'more' }), ops);
      await expect(keys.create(aKey({ id: 'again' }), ops)).rejects.toThrow(matchError('tenant_limit_reached'));
    });
  },
  ['memory'],
);
