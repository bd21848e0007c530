/** The audit log in its store: unbroken, append-only, without duplicates, and searchable. */

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { AuditDraft } from '../../../src/core/audit/entry.js';
import { verifyLogs } from '../../../src/core/audit/verify.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { toCanonicalJson } from '../../../src/core/lib/json.js';
import type { Store } from '../../../src/entries/store.js';
import { appendAudit, createOutsideDraft } from '../../../src/store/audit/append.js';
import { auditRun } from '../../../src/store/audit/audit-run.js';
import { eraseAuditContents } from '../../../src/store/audit/erase-contents.js';
import type { AuditFilter } from '../../../src/store/audit/filter.js';
import { queryAudit } from '../../../src/store/audit/read.js';
import { aRun } from '../../support/audit.js';
import { agentOf, answers, asks, look, someInput } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { alsoOnPostgres, describeStores, sharedInEveryForm } from '../../support/stores.js';

function aChain(tenant: string | null = 'acme', task = 'Is it 100% due?') {
  const play = prepared(agentOf(), { ...someInput, tenant, user: 'eve', task });
  play.replied(asks(look({ place: 'Zürich' })));
  play.returned('1.1', 'It is "sunny" there.');
  play.replied(answers('Yes.'));
  return { turns: foldRecordedTurns(play.turns).turns, before: null };
}

function createViewDraft(tenant: string | null, at = 1): AuditDraft {
  const place = { namespace: 'default', tenant, who: { by: 'ana', roles: [] }, at, chainId: 'chain-1' };
  return createOutsideDraft(place, { type: 'content_viewed', what: { role: 'auditor', command: 'chain show' } });
}

/** The verification of the store's logs, without signatures. */
async function readEntries({ db }: Store) {
  const rows = await db.selectFrom('audit_entries').selectAll().orderBy('log').orderBy('seq').execute();
  const contents = await db.selectFrom('audit_contents').selectAll().where('content', 'is not', null).execute();
  const names = new Map(rows.map(({ log, namespace, tenant }) => [log, { namespace, tenant }]));
  const { findings } = verifyLogs(
    {
      entries: rows.map(({ entry }) => entry),
      contents: contents.map(({ log, seq, part, salt, content }) =>
        toCanonicalJson({ ...names.get(log), seq, part, salt, content: JSON.parse(content ?? '') }),
      ),
      heads: [],
    },
    () => 'unknown',
  );
  return { rows, contents, findings: findings.filter(({ kind }) => kind !== 'unsigned') };
}

describeStores((open) => {
  it('contains a run once, however often it is appended', async () => {
    const store = await open();
    const run = { ...aRun, ...aChain() };
    expect(await store.write((tx) => auditRun(tx, run))).toBe(7);
    expect(await store.write((tx) => auditRun(tx, run))).toBe(0);
    expect(await store.write((tx) => auditRun(tx, { ...run, runId: 'run-2' }))).toBe(7);
    const { rows, findings } = await readEntries(store);
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 14 }, (_, index) => index + 1));
    expect(findings).toEqual([]);
  });

  it('has a log for each tenant, and one for chains without a tenant', async () => {
    const store = await open();
    await store.write((tx) =>
      appendAudit(tx, [createViewDraft('b'), createViewDraft(null), createViewDraft('a'), createViewDraft(null)]),
    );
    const { rows, findings } = await readEntries(store);
    expect(rows.map(({ tenant, seq }) => [tenant, seq])).toEqual([
      ['a', 1],
      ['b', 1],
      [null, 1],
      [null, 2],
    ]);
    expect(findings).toEqual([]);
  });

  it('contains nothing of a failed transaction', async () => {
    const store = await open();
    const failed = store.write(async (tx) => {
      await auditRun(tx, { ...aRun, ...aChain() });
      throw new Error('No room.');
    });
    await expect(failed).rejects.toThrow('No room.');
    await store.write((tx) => appendAudit(tx, [createViewDraft('acme')]));
    const { rows, findings } = await readEntries(store);
    expect([rows.length, findings]).toEqual([1, []]);
  });

  it('rejects changes', async () => {
    const store = await open();
    await store.write((tx) => auditRun(tx, { ...aRun, ...aChain() }));
    const before = await readEntries(store);
    const again =
      open.database === 'postgres'
        ? sql`truncate audit_entries`
        : sql`replace into audit_entries select * from audit_entries`;
    for (const change of [
      sql`update audit_entries set at = 1`,
      sql`delete from audit_entries where seq = 1`,
      sql`update audit_contents set content = 'null'`,
      again,
    ]) {
      await expect(store.write((tx) => change.execute(tx))).rejects.toThrow('append-only');
    }
    expect(await readEntries(store)).toEqual(before);
  });

  it('is searched by person, action, time and text', async () => {
    const store = await open();
    await store.write((tx) => auditRun(tx, { ...aRun, ...aChain() }));
    await store.write((tx) =>
      auditRun(tx, { ...aRun, chainId: 'chain-2', closed: 'terminated', ...aChain('other', 'Nothing.') }),
    );
    await store.write((tx) => appendAudit(tx, [createViewDraft('acme', 50_000)]));
    const found = async (filter: AuditFilter) => {
      const { entries } = await queryAudit(store.db, filter, { limit: 100 });
      return entries.map(({ entry }) => `${entry.chainId} ${entry.type}`);
    };
    expect(await found({ tenant: 'acme', type: 'tool_called' })).toEqual(['chain-1 tool_called']);
    expect(await found({ tool: 'look', chainId: 'chain-2' })).toEqual(['chain-2 tool_ended', 'chain-2 tool_called']);
    expect(await found({ person: 'ana' })).toEqual(['chain-1 content_viewed']);
    expect(await found({ person: 'eve', outcome: 'success' })).toEqual(['chain-1 chain_started']);
    expect(await found({ since: 10_000 })).toEqual(['chain-1 content_viewed']);
    expect((await found({ until: 10_000 })).length).toBe(14);
    expect(await found({ agent: 'clerk', text: '100%' })).toEqual(['chain-1 chain_started']);
    expect(await found({ text: '0% DUE' })).toEqual(['chain-1 chain_started']);
    expect(await found({ text: 'is "sunny"', tenant: 'acme' })).toEqual(['chain-1 tool_ended']);
    expect(await found({ tenant: null })).toEqual([]);
    expect(await found({ namespace: 'other' })).toEqual([]);
  });

  it('is read page by page, each entry once', async () => {
    const store = await open();
    await store.write((tx) => auditRun(tx, { ...aRun, ...aChain() }));
    await store.write((tx) => auditRun(tx, { ...aRun, chainId: 'chain-2', ...aChain('other') }));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await queryAudit(store.db, {}, { limit: 3, cursor: cursor ?? undefined });
      seen.push(...page.entries.map(({ entry }) => `${entry.tenant} ${entry.seq}`));
      cursor = page.cursor;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(14);
    expect(seen.length).toBe(14);
    await expect(queryAudit(store.db, {}, { limit: 3, cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('loses erased contents, records the erasure, and is still verified', async () => {
    const store = await open();
    await store.write((tx) => auditRun(tx, { ...aRun, ...aChain() }));
    await store.write((tx) => auditRun(tx, { ...aRun, chainId: 'chain-2', ...aChain() }));
    const erasure = { namespace: 'default', scope: 'user', chainIds: ['chain-1'], at: 5 } as const;
    const [entry] = await store.write((tx) =>
      eraseAuditContents(tx, { ...erasure, who: { by: 'ana', roles: ['dpo'] } }),
    );
    expect(entry).toMatchObject({ type: 'erased', what: { scope: 'user', chains: ['chain-1'], contents: 7 } });
    const { rows, contents, findings } = await readEntries(store);
    expect([rows.length, contents.length, findings]).toEqual([15, 7, []]);
    expect(JSON.stringify(rows)).not.toContain('sunny');
    expect(JSON.stringify(contents)).toContain('sunny');
    // Later contents of the running chain were not erased.
    await store.db.deleteFrom('audit_contents').where('seq', '=', 8).execute();
    expect((await readEntries(store)).findings[0]).toMatchObject({ kind: 'content_missing', seq: 8 });
  });
}, alsoOnPostgres);

describe('several concurrent writers', () => {
  describeStores((open) => {
    it('append to one unbroken hash chain', async () => {
      const stores = await Promise.all([open(), open(), open(), open()]);
      await Promise.all(
        stores.map(async (store, from) => {
          for (let at = 0; at < 10; at++) {
            await store.write((tx) =>
              appendAudit(tx, [createViewDraft(['acme', 'other'][at % 2]!, from), createViewDraft('acme', from)]),
            );
          }
        }),
      );
      const { rows, findings } = await readEntries(stores[0]!);
      expect(rows.length).toBe(80);
      expect(findings).toEqual([]);
    });
  }, sharedInEveryForm);
});
