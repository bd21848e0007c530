/** A chain that was erased while it ran leaves its actions in the audit log, without any content. */

import { expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/core/audit/entry.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import type { Store } from '../../../src/entries/store.js';
import { auditErasedRun, auditRun } from '../../../src/store/audit/audit-run.js';
import { eraseAuditContents } from '../../../src/store/audit/erase-contents.js';
import { verifyStore } from '../../../src/store/audit/verify-store.js';
import { aRun } from '../../support/audit.js';
import { exportOf, loan, someKey, verified } from '../../support/audited.js';
import { describeStores } from '../../support/stores.js';

const run = { ...aRun, turns: foldRecordedTurns(loan().turns).turns, before: null };
const erasure = { scope: 'user', by: 'dpo', at: 5 } as const;

async function entriesIn({ db }: Store): Promise<readonly AuditEntry[]> {
  const rows = await db.selectFrom('audit_entries').select('entry').orderBy('log').orderBy('seq').execute();
  return rows.map(({ entry }) => JSON.parse(entry));
}

/** The parts that differ by chance between two logs of the same run. */
function withoutDigests({ seq, type, at, chainId, runId, eventId, item, agent, what, contents }: AuditEntry) {
  const parts = contents.map(({ part, stored: kept, original }) => [part, kept !== undefined, original !== undefined]);
  return { seq, type, at, chainId, runId, eventId, item, agent, what, parts };
}

describeStores((open) => {
  it('a run erased before archiving has the entries of one erased afterwards, without names', async () => {
    const store = await open();
    expect(await store.write((tx) => auditErasedRun(tx, run, erasure))).toBe(19);
    expect(await store.write((tx) => auditErasedRun(tx, run, erasure))).toBe(0);
    const erased = await entriesIn(store);
    expect(erased.at(-1)).toMatchObject({
      type: 'erased',
      tenant: 'acme',
      at: 5,
      who: { by: 'dpo' },
      what: { scope: 'user', chains: ['chain-1'] },
    });
    await store.write(async (tx) => {
      await auditRun(tx, { ...run, namespace: 'other' });
      await eraseAuditContents(tx, {
        namespace: 'other',
        scope: 'user',
        chainIds: ['chain-1'],
        who: { by: 'dpo', roles: [] },
        at: 5,
      });
    });
    const archived = (await entriesIn(store)).filter(({ namespace }) => namespace === 'other');
    expect(erased.map(withoutDigests)).toEqual(archived.map(withoutDigests));
    const roles = (entries: readonly AuditEntry[]) => entries.map(({ who }) => who?.roles ?? null);
    expect(roles(erased)).toEqual(roles(archived));
  });

  it('a run erased before archiving leaves no texts, salts or names', async () => {
    const store = await open();
    await store.write((tx) => auditErasedRun(tx, run, { ...erasure, by: null }));
    expect(await store.db.selectFrom('audit_contents').selectAll().execute()).toEqual([]);
    const text = JSON.stringify(await store.db.selectFrom('audit_entries').selectAll().execute());
    expect(text).toContain('record_decision');
    expect(text).not.toMatch(/\beve\b|\bana\b|Review|applicant|DENY|final/);
  });

  it('a run erased before archiving is verified, and reported as erased, in the store and in an export', async () => {
    const store = await open();
    await store.write((tx) => auditErasedRun(tx, run, erasure));
    const { findings, contents, erased } = await verifyStore(store, 'default', null);
    expect([findings, contents]).toEqual([[], 0]);
    expect(erased).toBeGreaterThan(10);
    const key = someKey();
    const taken = verified(await exportOf(store, key, { chainId: 'chain-1' }), [key.id]);
    expect(taken).toMatchObject({ findings: [], entries: 19, erased });
  });

  it('a later run continues the log of an earlier run of the chain', async () => {
    const store = await open();
    await store.write((tx) => auditRun(tx, { ...run, runId: 'run-0', closed: 'continuedAsNew' }));
    await store.write((tx) =>
      eraseAuditContents(tx, {
        namespace: 'default',
        scope: 'chain',
        chainIds: ['chain-1'],
        who: { by: 'dpo', roles: [] },
        at: 5,
      }),
    );
    await store.write((tx) => auditErasedRun(tx, run, { ...erasure, scope: 'chain' }));
    expect((await entriesIn(store)).at(-1)).toMatchObject({ type: 'erased', chainId: 'chain-1' });
    expect((await verifyStore(store, 'default', null)).findings).toEqual([]);
  });
});

describeStores((open) => {
  it.each([
    ['user', undefined],
    ['tenant', 'acme'],
  ] as const)('an erasure of a %s without archived chains is recorded', async (scope, tenant) => {
    const store = await open();
    const who = { by: 'dpo', roles: [] };
    const added = await store.write((tx) =>
      eraseAuditContents(tx, {
        namespace: 'default',
        scope,
        ...(tenant === undefined ? {} : { tenant }),
        chainIds: [],
        who,
        at: 5,
      }),
    );
    const entry = {
      type: 'erased',
      tenant: tenant ?? null,
      chainId: null,
      who,
      what: { scope, chains: [], contents: 0 },
    };
    expect(added).toMatchObject([entry]);
    expect(await entriesIn(store)).toEqual(added);
    expect((await verifyStore(store, 'default', null)).findings).toEqual([]);
  });
});
