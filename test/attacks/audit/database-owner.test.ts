/** An owner of the database changes the audit log: a pinned key, the signer's record and an outside witness reveal it. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseHead } from '../../../src/core/audit/head.js';
import type { Store } from '../../../src/entries/store.js';
import { acceptLogs } from '../../../src/store/audit/accept-logs.js';
import { appendAudit, createOutsideDraft } from '../../../src/store/audit/append.js';
import { getRecordPath, readRecordedHeads } from '../../../src/store/audit/head-record.js';
import type { AuditKey } from '../../../src/store/audit/key.js';
import { formatLogFault } from '../../../src/store/audit/log-faults.js';
import { checkHeads, immediateCadence, listHeads, signHeads } from '../../../src/store/audit/sign-heads.js';
import { verifyStore } from '../../../src/store/audit/verify-store.js';
import { auditChain, errand, exportOf, loan, someKey, verified } from '../../support/audited.js';
import { asBob, rewriteLog, runWithoutTriggers } from '../../support/back-door.js';
import { matchError } from '../../support/match-error.js';
import { describeStores, sharedDatabases } from '../../support/stores.js';

const acme = '["default","acme"]';
const deleteLogs = ['audit_logs', 'audit_entries', 'audit_contents', 'audit_heads'].map(
  (table) => `delete from ${table}`,
);
const deleteLogOfAcme = deleteLogs.map((each) => `${each} where log = '${acme}'`);
const cut = [
  `delete from audit_contents where log = '${acme}' and seq > 7`,
  `delete from audit_heads where log = '${acme}' and seq > 7`,
  `delete from audit_entries where log = '${acme}' and seq > 7`,
  `update audit_logs set seq = 7, hash = (select hash from audit_entries where log = '${acme}' and seq = 7) where log = '${acme}'`,
];

/** Two tenants; the log of the first has heads at entries 7 and 25. */
async function fillStore(store: Store, key: AuditKey): Promise<Store> {
  await auditChain(store, 'errand-1', errand());
  await auditChain(store, 'errand-2', errand('other'));
  await signHeads(store, key, 1, immediateCadence);
  await auditChain(store, 'loan-1', loan());
  await signHeads(store, key, 2, immediateCadence);
  return store;
}

/** Adds a second row that names the tenant acme, with a longer log in which another person approved. */
async function addDecoy(store: Store, decoy: string): Promise<void> {
  const logOf = async () => ({
    end: await store.db.selectFrom('audit_logs').selectAll().where('log', '=', acme).executeTakeFirstOrThrow(),
    entries: await store.db.selectFrom('audit_entries').selectAll().where('log', '=', acme).execute(),
  });
  const honest = await logOf();
  await auditChain(store, 'errand-3', errand());
  await rewriteLog(store, 'acme', asBob);
  const forged = await logOf();
  const emptied = ['audit_logs', 'audit_entries'].map((table) => `delete from ${table} where log = '${acme}'`);
  await runWithoutTriggers(store, 'drop index audit_once', ...emptied);
  await store.write(async (tx) => {
    await tx
      .insertInto('audit_logs')
      .values([honest.end, { ...forged.end, log: decoy }])
      .execute();
    for (const row of honest.entries) await tx.insertInto('audit_entries').values(row).execute();
    for (const row of forged.entries)
      await tx
        .insertInto('audit_entries')
        .values({ ...row, log: decoy })
        .execute();
  });
}

async function listKinds(
  store: Store,
  ...more: Parameters<typeof verifyStore> extends [Store, string, ...infer R] ? R : never
) {
  const { findings } = await verifyStore(store, 'default', ...more);
  return [...new Set(findings.map(({ kind }) => kind))];
}

async function forgeErasure(store: Store): Promise<void> {
  const place = { namespace: 'default', tenant: 'acme', who: { by: 'dpo', roles: [] }, at: 3, chainId: 'loan-1' };
  const what = { scope: 'chain', chains: ['loan-1'], contents: 1 } as const;
  await store.write((tx) => appendAudit(tx, [createOutsideDraft(place, { type: 'erased', what })]));
  await runWithoutTriggers(store, `delete from audit_contents where log = '${acme}' and part = 'reason'`);
}

describeStores((open) => {
  describe('with a key', () => {
    it.each<readonly [string, (store: Store) => Promise<void>, string]>([
      ['all heads are deleted', (store) => runWithoutTriggers(store, 'delete from audit_heads'), 'unsigned'],
      [
        'the log is rewritten without heads',
        async (store) => {
          await rewriteLog(store, 'acme', asBob);
          await runWithoutTriggers(store, 'delete from audit_heads');
        },
        'unsigned',
      ],
      [
        'everything is deleted',
        (store) => runWithoutTriggers(store, ...deleteLogs, 'delete from audit_keys'),
        'nothing_signed',
      ],
      ['the public keys are deleted', (store) => runWithoutTriggers(store, 'delete from audit_keys'), 'unknown_key'],
      ['an erasure is forged', forgeErasure, 'content_missing'],
      ['the row of the end is deleted', (store) => runWithoutTriggers(store, 'delete from audit_logs'), 'altered'],
      [
        'the row of the end is altered',
        (store) => runWithoutTriggers(store, `update audit_logs set hash = 'a'`),
        'altered',
      ],
      ['the end is unsigned', (store) => auditChain(store, 'errand-3', errand()), 'unsigned'],
    ])('it is a fault when %s', async (_, attack, kind) => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      expect(await listKinds(store, [key.id])).toEqual([]);
      await attack(store);
      expect(await listKinds(store, [key.id])).toContain(kind);
    });

    it('an entry of a later verification is not a fault', async () => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      const place = { namespace: 'default', tenant: 'acme', who: { by: 'ana', roles: [] }, at: 3 };
      const draft = createOutsideDraft(place, { type: 'verified', what: { entries: 25, problem: null } });
      await store.write((tx) => appendAudit(tx, [draft]));
      expect(await listKinds(store, [key.id])).toEqual([]);
    });
  });

  describe('the signer', () => {
    it.each<readonly [string, (store: Store) => Promise<void>, string, string]>([
      [
        'was rewritten',
        (store) => rewriteLog(store, 'acme', asBob),
        'rewritten',
        'has an entry 25 that differs from the signed one',
      ],
      ['was cut back to an earlier head', (store) => runWithoutTriggers(store, ...cut), 'cut', 'ends at entry 7'],
      ['was removed', (store) => runWithoutTriggers(store, ...deleteLogOfAcme), 'removed', 'is missing'],
      [
        'has an altered entry after its head',
        async (store) => {
          await auditChain(store, 'errand-3', errand());
          await runWithoutTriggers(
            store,
            `update audit_entries set entry = replace(entry, '"clerk"', '"judge"') where log = '${acme}' and seq = 27`,
          );
        },
        'broken',
        'is broken at entry 27',
      ],
      [
        'has lost an entry after its head',
        async (store) => {
          await auditChain(store, 'errand-3', errand());
          await runWithoutTriggers(store, `delete from audit_entries where log = '${acme}' and seq = 27`);
        },
        'broken',
        'is broken at entry 27',
      ],
    ])('does not sign a log that %s, but signs all others', async (_, attack, kind, text) => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      await attack(store);
      const before = (await listHeads(store.db, acme)).length;
      await auditChain(store, 'errand-4', errand('other'));
      for (const now of [3, 4]) {
        const { faults } = await signHeads(store, key, now, immediateCadence);
        expect(faults).toMatchObject([{ kind, tenant: 'acme', head: { seq: 25 } }]);
        expect(formatLogFault(faults[0]!)).toContain(text);
      }
      expect((await listHeads(store.db, acme)).length).toBe(before);
      expect((await listHeads(store.db, '["default","other"]')).at(-1)?.seq).toBe(14);
      // Also when no signature is due.
      expect((await checkHeads(store, key)).faults).toMatchObject([{ kind }]);
      if (kind !== 'removed') {
        await expect(exportOf(store, key, { tenant: 'acme' })).rejects.toMatchObject(
          matchError('audit_log_rejected', 'entry 25'),
        );
      }
    });

    it('reports a rewritten log although its heads and keys were deleted from the database', async () => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      await rewriteLog(store, 'acme', asBob);
      await runWithoutTriggers(store, 'delete from audit_heads', 'delete from audit_keys');
      const { signed, faults } = await signHeads(store, key, 3, immediateCadence);
      expect([signed, faults[0]?.kind]).toEqual([0, 'rewritten']);
    });

    it('on another host continues from the heads of its key in the database', async () => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      const other = { ...key, heads: `${key.headsFolder}.other` };
      expect(await signHeads(store, other, 3, immediateCadence)).toEqual({ signed: 0, faults: [] });
      await runWithoutTriggers(store, ...cut);
      expect((await signHeads(store, other, 4, immediateCadence)).faults[0]?.kind).toBe('cut');
    });

    it.each([
      ['a key that names no log', 'decoy'],
      ['the key of another log', '["default","decoy"]'],
    ])('does not sign rewritten entries of a second row for the tenant with %s', async (_, decoy) => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      await addDecoy(store, decoy);
      const before = (await listHeads(store.db, acme)).length;
      for (const now of [3, 4]) {
        const { signed, faults } = await signHeads(store, key, now, immediateCadence);
        expect([signed, faults.map(({ kind }) => kind)]).toEqual([0, ['misnamed']]);
        expect(formatLogFault(faults[0]!)).toContain('whose key does not match its namespace and tenant');
      }
      expect((await listHeads(store.db, acme)).length).toBe(before);
      expect(readRecordedHeads(key, store).get(acme)?.head.seq).toBe(25);
      expect(await listKinds(store, [key.id])).toContain('altered');
      const acceptance = { who: { by: 'ana', roles: [] }, reason: 'Why not', at: 5 };
      await expect(acceptLogs(store, key, acceptance)).rejects.toMatchObject({ code: 'audit_log_broken' });
    });

    it('does not sign copied entries of another log under a matching key and name', async () => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      const decoy = '["default","decoy"]';
      await addDecoy(store, decoy);
      await runWithoutTriggers(store, `update audit_logs set tenant = 'decoy' where log = '${decoy}'`);
      const { signed, faults } = await signHeads(store, key, 3, immediateCadence);
      expect([signed, faults.map(({ kind, tenant }) => [kind, tenant])]).toEqual([0, [['broken', 'decoy']]]);
      expect(await listKinds(store, [key.id])).toContain('altered');
    });

    it('does not sign a log whose row was assigned to another tenant', async () => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      await runWithoutTriggers(store, `update audit_logs set tenant = 'decoy' where log = '${acme}'`);
      expect((await signHeads(store, key, 3, immediateCadence)).faults).toMatchObject([
        { kind: 'misnamed', tenant: 'acme' },
      ]);
      expect(await listKinds(store, [key.id])).toEqual(['altered']);
    });

    it('without a record reports a head with its key id and a forged signature', async () => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      rmSync(key.headsFolder, { recursive: true });
      await runWithoutTriggers(store, `update audit_heads set signature = 'AAAA' where log = '${acme}' and seq = 25`);
      expect((await signHeads(store, key, 3, immediateCadence)).faults).toMatchObject([{ kind: 'forged', seq: 25 }]);
    });

    it('does not sign with a record that was altered or is not writable', async () => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      const path = getRecordPath(key, store) ?? '';
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, text.replace(/\\"seq\\":25/, '\\"seq\\":7'));
      await expect(signHeads(store, key, 3, immediateCadence)).rejects.toMatchObject(
        matchError('audit_key_invalid', 'altered'),
      );
      rmSync(path);
      mkdirSync(`${path}/in the way`, { recursive: true });
      await expect(signHeads(store, key, 3, immediateCadence)).rejects.toMatchObject(
        matchError('audit_key_invalid', 'Cannot read'),
      );
      expect((await verifyStore(store, 'default', null)).heads[0]?.at).toBe(2);
    });

    it('signs a restored backup after a person accepted it, and the log records that', async () => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      await runWithoutTriggers(store, ...cut, "delete from audit_contents where log = 'nothing'");
      const acceptance = { who: { by: 'ana', roles: [] }, reason: 'Backup of Monday', at: 5 };
      expect(await acceptLogs(store, key, acceptance)).toMatchObject([{ kind: 'cut' }]);
      expect(await acceptLogs(store, key, acceptance)).toEqual([]);
      await auditChain(store, 'errand-3', errand());
      expect(await signHeads(store, key, 6, immediateCadence)).toEqual({ signed: 1, faults: [] });
      expect(await listKinds(store, [key.id])).toEqual([]);
      const { entry } = await store.db
        .selectFrom('audit_entries')
        .select('entry')
        .where('type', '=', 'accepted')
        .executeTakeFirstOrThrow();
      expect(JSON.parse(entry)).toMatchObject({
        seq: 8,
        who: { by: 'ana' },
        what: { fault: 'cut', signed: { seq: 25 } },
        contents: [{ part: 'reason' }],
      });
    });

    it('does not sign a broken log, even if a person accepts it', async () => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      await runWithoutTriggers(store, `delete from audit_entries where log = '${acme}' and seq = 3`, ...cut);
      const acceptance = { who: { by: 'ana', roles: [] }, reason: 'Why not', at: 5 };
      await expect(acceptLogs(store, key, acceptance)).rejects.toMatchObject(matchError('audit_log_broken', 'entry 3'));
    });
  });

  describe('an anchor', () => {
    it.each<readonly [string, (store: Store) => Promise<void>, string]>([
      ['a tail cut back to an earlier head', (store) => runWithoutTriggers(store, ...cut), 'truncated'],
      ["a tenant's log removed", (store) => runWithoutTriggers(store, ...deleteLogOfAcme), 'truncated'],
      [
        'everything removed',
        (store) => runWithoutTriggers(store, ...deleteLogs, 'delete from audit_keys'),
        'truncated',
      ],
      ['a rewritten log', (store) => rewriteLog(store, 'acme', asBob), 'rewritten'],
      ['a forged erasure', forgeErasure, 'content_missing'],
    ])('reveals %s', async (_, attack, kind) => {
      const key = someKey();
      const store = await fillStore(await open(), key);
      const anchored = [...readRecordedHeads(key, store).values()];
      const witnesses = { anchored, keys: { [key.id]: key.publicKey } };
      expect(await listKinds(store, [key.id], witnesses)).toEqual([]);
      await attack(store);
      expect(await listKinds(store, [key.id], witnesses)).toContain(kind);
    });

    it('reveals a rewritten log to a reader who has only an export', async () => {
      const [key, other] = [someKey(), someKey()];
      const store = await fillStore(await open(), key);
      const anchored = [...readRecordedHeads(key, store).values()];
      await rewriteLog(store, 'acme', asBob);
      await runWithoutTriggers(store, 'delete from audit_heads');
      const files = await exportOf(store, other, { tenant: 'acme' });
      expect(verified(files).findings).toEqual([]);
      const keys = [key.id, other.id];
      const { findings } = verified(files, keys, { anchored, keys: { [key.id]: key.publicKey } });
      expect(findings).toMatchObject([{ kind: 'rewritten' }]);
    });
  });

  it('signers that share a record lose no heads', async () => {
    const key = someKey();
    const stores = await Promise.all([open(), open(), open()]);
    const tenants = ['a', 'b', 'c', 'd'];
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        stores.map(async (store, at) => {
          await auditChain(store, `errand-${round}-${at}`, errand(tenants[(round + at) % tenants.length]));
          expect((await signHeads(store, key, round, immediateCadence)).faults).toEqual([]);
        }),
      );
    }
    const [store] = stores;
    await signHeads(store!, key, 9, immediateCadence);
    const newest = await Promise.all(
      tenants.map(async (tenant) => (await listHeads(store!.db, JSON.stringify(['default', tenant]))).at(-1)?.seq),
    );
    const heads = readRecordedHeads(key, store!);
    expect(tenants.map((tenant) => heads.get(JSON.stringify(['default', tenant]))?.head.seq)).toEqual(newest);
    expect(await listKinds(store!, [key.id])).toEqual([]);
    expect(readdirSync(key.headsFolder)).toEqual([expect.stringMatching(/^[0-9a-f]{16}\.json$/)]);
    expect(readFileSync(join(key.headsFolder, readdirSync(key.headsFolder)[0]!), 'utf8')).not.toContain('PRIVATE');
    expect(parseHead([...heads.values()][0]!)?.key).toBe(key.id);
  });
}, sharedDatabases);
