/** Changes to the log by the owner of the database are detected. */

import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Store } from '../../../src/entries/store.js';
import { signHeads } from '../../../src/store/audit/sign-heads.js';
import { verifyStore } from '../../../src/store/audit/verify-store.js';
import { auditChain, errand, loan, someKey } from '../../support/audited.js';
import { describeStores } from '../../support/stores.js';

const key = someKey();

describeStores((open) => {
  /** Removes the triggers, as the owner of the database can. */
  async function runWithoutTriggers(store: Store, statement: string): Promise<void> {
    await store.write(async (tx) => {
      const off =
        store.kind === 'postgres'
          ? ['alter table audit_entries disable trigger all', 'alter table audit_heads disable trigger all']
          : ['audit_entries_no_update', 'audit_entries_no_delete', 'audit_heads_no_delete'].map(
              (trigger) => `drop trigger if exists ${trigger}`,
            );
      for (const each of off) await sql.raw(each).execute(tx);
      await sql.raw(statement).execute(tx);
    });
  }

  it('an unaltered log is verified, whether or not its end is signed', async () => {
    const store = await open();
    await auditChain(store, 'loan-1', loan());
    await signHeads(store, key, 1);
    await auditChain(store, 'errand-1', errand());
    expect(await verifyStore(store, 'default', null)).toMatchObject({ findings: [], heads: [{ seq: 18 }] });
    expect((await verifyStore(store, 'default', [key.id])).findings).toMatchObject([{ kind: 'unsigned', from: 19 }]);
    expect((await verifyStore(store, 'default', [someKey().id])).findings[0]).toMatchObject({ kind: 'unknown_key' });
  });

  it.each([
    ['update audit_entries set entry = replace(entry, \'"ana"\', \'"bob"\')', 'altered'],
    ["update audit_entries set person = 'bob' where person = 'ana'", 'altered'],
    ['update audit_entries set at = 1 where seq = 4', 'altered'],
    ['delete from audit_entries where seq = 5', 'missing'],
    ['delete from audit_entries where seq > 16', 'truncated'],
    ["delete from audit_contents where part = 'reason'", 'content_missing'],
    ['delete from audit_entries where seq > 18', 'truncated'],
  ])('detects %s', async (statement, kind) => {
    const store = await open();
    await auditChain(store, 'loan-1', loan());
    await signHeads(store, key, 1);
    await auditChain(store, 'errand-1', errand());
    await runWithoutTriggers(store, statement);
    expect((await verifyStore(store, 'default', null)).findings[0]?.kind).toBe(kind);
  });

  it('a log is signed after a number of entries or a time', async () => {
    const store = await open();
    const cadence = { entries: 20, intervalMs: 1_000 };
    await auditChain(store, 'errand-1', errand());
    expect(await signHeads(store, key, 5_000, cadence)).toEqual({ signed: 1, faults: [] });
    expect(await signHeads(store, key, 9_000, cadence)).toEqual({ signed: 0, faults: [] });
    await auditChain(store, 'errand-2', errand());
    expect(await signHeads(store, key, 5_999, cadence)).toEqual({ signed: 0, faults: [] });
    expect(await signHeads(store, key, 6_000, cadence)).toEqual({ signed: 1, faults: [] });
    await auditChain(store, 'loan-1', loan());
    await auditChain(store, 'errand-3', errand());
    expect(await signHeads(store, key, 6_001, cadence)).toEqual({ signed: 1, faults: [] });
    // A clock that was set back does not delay the signature.
    await auditChain(store, 'errand-4', errand());
    expect(await signHeads(store, key, 10, cadence)).toEqual({ signed: 1, faults: [] });
    expect((await verifyStore(store, 'default', null)).findings).toEqual([]);
  });
});
