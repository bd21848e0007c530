/** An export contains its proof: it is verified with or without Longhand, and every change is detected. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { formatFinding } from '../../../src/core/audit/finding.js';
import type { Store } from '../../../src/entries/store.js';
import { eraseAuditContents } from '../../../src/store/audit/erase-contents.js';
import { queryAudit } from '../../../src/store/audit/read.js';
import { signHeads } from '../../../src/store/audit/sign-heads.js';
import { openStore } from '../../../src/store/db/open.js';
import { auditChain, errand, exportNow, exportOf, loan, someKey, verified } from '../../support/audited.js';
import { budget, isLong } from '../../support/budget.js';
import { describeStores } from '../../support/stores.js';

const key = someKey();
const folder = mkdtempSync(join(tmpdir(), 'longhand-audit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function fillStore(store: Store): Promise<Store> {
  await auditChain(store, 'errand-1', errand());
  await auditChain(store, 'loan-1', loan());
  await auditChain(store, 'errand-2', errand());
  await auditChain(store, 'errand-3', errand('other'));
  await auditChain(store, 'errand-4', errand(null));
  return store;
}

describeStores((open) => {
  it('a complete export is signed, and contains the record of itself', async () => {
    const files = await exportOf(await fillStore(await open()), key, { tenant: 'acme' });
    const { findings, entries, leftOut, manifest, heads } = verified(files, [key.id]);
    expect(findings).toEqual([]);
    expect([leftOut, manifest?.key, manifest?.exportedBy]).toEqual([0, key.id, 'ana']);
    expect(manifest?.logs).toMatchObject([{ tenant: 'acme', first: { seq: 1 }, last: { seq: entries }, entries }]);
    expect(heads).toMatchObject([{ seq: entries, at: exportNow }]);
    const last = files.get('entries.jsonl')?.trimEnd().split('\n').at(-1);
    expect(JSON.parse(last ?? '')).toMatchObject({ type: 'exported', who: { by: 'ana' } });
  });

  it('an export of one chain contains only that chain, and is verified through the omitted entries', async () => {
    const store = await fillStore(await open());
    await signHeads(store, key, 1);
    await auditChain(store, 'errand-5', errand());
    const files = await exportOf(store, key, { chainId: 'loan-1' });
    const { findings, entries, leftOut, manifest } = verified(files);
    expect(findings).toEqual([]);
    expect(entries).toBe(18);
    // Only up to the first head that signs it: later entries do not concern its reader.
    expect(leftOut).toBe(7);
    expect(manifest?.logs[0]).toMatchObject({ first: { seq: 8 }, last: { seq: 32 } });
    expect([...files.values()].join()).not.toContain('errand');
    expect(files.get('contents.jsonl')).toContain('78291');
  });

  it('an export of a whole tree contains a chain and all chains below it, and is verified like any other', async () => {
    const store = await open();
    const tree = ['loan-1/2.1/1.1', 'loan-1/2.1', 'loan-1/3.1.2', 'loan-1'];
    for (const chainId of ['loan-10', ...tree, 'loan-1%/1.1', 'loan']) await auditChain(store, chainId, errand());
    await auditChain(store, 'loan-1/4.1', errand('other'));
    const files = await exportOf(store, key, { root: 'loan-1' });
    const { findings, manifest, leftOut } = verified(files, [key.id]);
    expect(findings).toEqual([]);
    expect(leftOut).toBeGreaterThan(0);
    expect(manifest).toMatchObject({ filters: { root: 'loan-1' }, logs: [{ tenant: 'acme' }, { tenant: 'other' }] });
    const entries = (files.get('entries.jsonl') ?? '').trimEnd().split('\n');
    const chains = entries.flatMap((line) => (JSON.parse(line) as { chainId?: string }).chainId ?? []);
    expect([...new Set(chains)].sort()).toEqual([...tree, 'loan-1/4.1'].sort());
    const { entries: recorded } = await queryAudit(store.db, { type: 'exported', chainId: 'loan-1' }, { limit: 5 });
    expect(recorded).toHaveLength(2);
  });

  it.each([
    ['chain', { chainId: 'errand-1' }, 7],
    ['time', { until: 2_000 }, 4],
  ] as const)('an export by %s ends with its filter, even if all earlier entries match', async (by, filter, fits) => {
    const store = await open();
    if (by === 'chain') await auditChain(store, 'errand-1', errand());
    await auditChain(store, 'loan-1', loan());
    const files = await exportOf(store, key, filter);
    const { findings, leftOut, manifest } = verified(files, [key.id]);
    expect(findings).toEqual([]);
    expect(manifest?.logs).toMatchObject([{ first: { seq: 1 }, entries: fits, leftOut }]);
    // All entries from the last match to the head that signs it, including the entry of this export.
    expect(leftOut).toBe((by === 'chain' ? 7 : 0) + 18 + 1 - fits);
    const held = `${files.get('entries.jsonl')}${files.get('contents.jsonl')}`;
    expect(held).toContain(by === 'chain' ? 'Done.' : 'applicant_id');
    expect(held).not.toMatch(/DENY|annual_income|exported/);
  });

  it('an export reports erased contents, and is still verified', async () => {
    const store = await fillStore(await open());
    const who = { by: 'dpo', roles: [] };
    await store.write((tx) =>
      eraseAuditContents(tx, { namespace: 'default', scope: 'chain', chainIds: ['loan-1', 'errand-3'], who, at: 5 }),
    );
    const all = verified(await exportOf(store, key));
    expect(all.findings).toEqual([]);
    expect(all.erased).toBeGreaterThan(20);
    const files = await exportOf(store, key, { type: 'tool_ended', chainId: 'loan-1' });
    expect(verified(files)).toMatchObject({ findings: [], entries: 5, erased: 4 });
    expect(files.get('contents.jsonl')).toBe('');
  });

  it('an export without a key is reported as unsigned', async () => {
    const files = await exportOf(await fillStore(await open()), null);
    expect(verified(files).findings.map(({ kind }) => kind)).toEqual([
      'unsigned',
      'unsigned',
      'unsigned',
      'manifest_unsigned',
    ]);
  });
});

describe('an export', async () => {
  const store = await fillStore(await openStore('memory:'));
  const files = await exportOf(store, key, { tenant: 'acme', chainId: 'loan-1' });
  afterAll(() => store.close());
  const changed = (file: string, change: (text: string) => string) => {
    const text = files.get(file) ?? '';
    return new Map(files).set(file, change(text));
  };
  const first = (of: ReadonlyMap<string, string>, trusted: readonly string[] | null = null) =>
    verified(of, trusted).findings[0];
  const without = (file: string) => new Map([...files].filter(([name]) => name !== file));

  it.each([
    ['an argument', changed('contents.jsonl', (text) => text.replace('78291', '78292')), 'content_altered'],
    ['the approver', changed('entries.jsonl', (text) => text.replace('"by":"ana"', '"by":"bob"')), 'altered'],
    ['a removed entry', changed('entries.jsonl', (text) => text.replace(/[^\n]*"decided"[^\n]*\n/, '')), 'missing'],
    ['the filters', changed('manifest.json', (text) => text.replace('loan-1', 'loan-2')), 'manifest_signature'],
    ['the exporter', changed('manifest.json', (text) => text.replace('"ana"', '"bob"')), 'manifest_signature'],
    ['the recipe', changed('VERIFY.md', (text) => `${text}\nOr trust us.\n`), 'file_altered'],
    ['a blank at the end of a line', changed('entries.jsonl', (text) => text.replace('\n', ' \n')), 'unreadable'],
    ['a blank line', changed('contents.jsonl', (text) => `${text}\n`), 'unreadable'],
    [
      'the signature',
      changed('manifest.sig', (text) => text.replace(/^./, (sign) => (sign === 'A' ? 'B' : 'A'))),
      'manifest_signature',
    ],
    ['no signature', without('manifest.sig'), 'file_missing'],
    ['no entries', without('entries.jsonl'), 'truncated'],
    ['no contents', without('contents.jsonl'), 'content_missing'],
    ['no manifest', without('manifest.json'), 'file_missing'],
    ['no recipe', without('VERIFY.md'), 'file_missing'],
    [
      'a replaced key',
      changed('manifest.json', (text) =>
        text.replace(JSON.stringify(key.publicKey), JSON.stringify(someKey().publicKey)),
      ),
      'unknown_key',
    ],
    [
      'a removed key',
      changed('manifest.json', (text) => text.replace(`"key": "${key.id}"`, '"key": null')),
      'manifest_unsigned',
    ],
  ] as const)('altered in this part is reported: %s', (_name, of, kind) => {
    const found = first(of);
    expect(found?.kind).toBe(kind);
    expect(formatFinding(found!)).not.toBe('');
  });

  it('signed with another key is detected by the trusted key', async () => {
    const theirs = someKey();
    const forged = await exportOf(store, theirs, { tenant: 'acme' });
    expect(verified(forged).findings).toEqual([]);
    const kinds = verified(forged, [key.id]).findings.map(({ kind }) => kind);
    expect(kinds).toContain('unknown_key');
    expect(kinds).toContain('manifest_key');
  });

  it('is still verified after a change of the key', async () => {
    const fresh = await fillStore(await openStore('memory:'));
    await signHeads(fresh, key, 1);
    await auditChain(fresh, 'errand-6', errand());
    const next = someKey();
    const rotated = await exportOf(fresh, next, { tenant: 'acme' });
    await fresh.close();
    expect(verified(rotated, [key.id, next.id]).findings).toEqual([]);
    expect(verified(rotated, [next.id]).findings[0]?.kind).toBe('unknown_key');
  });

  it('with any altered character is detected', () => {
    const names = [...files.keys()];
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.constantFrom('a', '0', ' ', '"', '}', '\n', ''), (which, at, put) => {
        const name = names[which % names.length]!;
        const text = files.get(name)!;
        const from = at % text.length;
        const other = text.slice(0, from) + put + text.slice(from + 1);
        // A signature is parsed without the end of its line.
        fc.pre(other.trim() !== text.trim());
        expect(verified(new Map(files).set(name, other)).findings).not.toEqual([]);
      }),
      { numRuns: budget(50, 600) },
    );
  });
});

describe('without Longhand', () => {
  /** The output of the recipe's commands, run block by block in the folder of the export. */
  function followed(files: ReadonlyMap<string, string>, name: string): string {
    const place = join(folder, name);
    execFileSync('mkdir', [place]);
    for (const [file, text] of files) writeFileSync(join(place, file), text);
    const blocks = [...(files.get('VERIFY.md') ?? '').matchAll(/```sh\n([\s\S]*?)```/g)].map(
      ([, block]) => block ?? '',
    );
    expect(blocks.length).toBeGreaterThan(1);
    const script = ['set -e', ...blocks].join('\n');
    return execFileSync('bash', ['-c', script], { cwd: place, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** The export with the last part of its recipe only, which is a program in Python. */
  function pythonOf(files: ReadonlyMap<string, string>): Map<string, string> {
    const recipe = (files.get('VERIFY.md') ?? '').replace(/## 1[\s\S]*?## 4/, '## 4');
    return new Map(files).set('VERIFY.md', `${recipe}\n\`\`\`sh\ntrue\n\`\`\`\n`);
  }

  it('the recipe in an export verifies it, and detects alterations', async () => {
    const store = await fillStore(await openStore('memory:'));
    await signHeads(store, key, 1);
    const whole = await exportOf(store, key);
    const output = followed(whole, 'whole');
    expect(output.match(/Signature Verified Successfully/g)?.length).toBe(7);
    expect(output).toContain(key.id);
    expect(output).toContain('entries.jsonl: OK');
    const { entries, contents } = verified(whole);
    expect(output).toContain(`whole: ${entries} entries ${contents} contents 6 heads`);
    await store.close();

    const altered = pythonOf(whole);
    altered.set('entries.jsonl', (whole.get('entries.jsonl') ?? '').replace('"by":"ana"', '"by":"bob"'));
    expect(() => followed(altered, 'altered')).toThrow(/was altered/);
  });

  if (!isLong) return;

  it('the recipe verifies an anchor, a part and an unsigned export, and detects an altered content', async () => {
    const store = await fillStore(await openStore('memory:'));
    await signHeads(store, key, 1);
    const whole = await exportOf(store, key);
    const anchored = { heads: verified(whole).manifest?.heads, keys: {} };
    const anchor = `${JSON.stringify(anchored)}\n`;
    expect(followed(new Map(whole).set('anchor.json', anchor), 'anchored')).toContain('anchored: 6 heads');
    const other = anchor.replace(/(hash\\":\\")[0-9a-f]{4}/, '$1beef');
    expect(() => followed(new Map(whole).set('anchor.json', other), 'other anchor')).toThrow(/the anchor has another/);

    const part = await exportOf(store, key, { chainId: 'loan-1' });
    expect(followed(part, 'part')).toMatch(/whole: \d+ entries 18 contents/);
    const unsigned = await exportOf(store, null);
    expect(followed(unsigned, 'unsigned')).toContain('entries.jsonl: OK');
    await store.close();

    const content = pythonOf(whole);
    content.set('contents.jsonl', (whole.get('contents.jsonl') ?? '').replace('78291', '78292'));
    expect(() => followed(content, 'content')).toThrow(/AssertionError/);
  });
});
