/** `longhand audit`, from a key to a verified export. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordView } from '../../../src/cli/access/record-view.js';
import { type AuditExportFlags, exportAudit } from '../../../src/cli/audit/export.js';
import { type QueryFlags, queryAuditLog } from '../../../src/cli/audit/query.js';
import { manageAuditKey } from '../../../src/cli/audit/signing.js';
import { type AuditVerifyFlags, verifyAudit } from '../../../src/cli/audit/verify.js';
import type { Terminal } from '../../../src/cli/terminal/terminal.js';
import { computeDigest } from '../../../src/core/lib/digest.js';
import { toCanonicalJson } from '../../../src/core/lib/json.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import { openStore } from '../../../src/store/db/open.js';
import { playedSegment } from '../../support/archived.js';
import { auditChain, errand, loan } from '../../support/audited.js';
import { agentOf, answers, asks } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { matchError } from '../../support/match-error.js';

let folder = '';
const at = (name: string) => join(folder, name);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-audit-cli-'));
  vi.stubEnv('LONGHAND_STORE', at('store.db'));
  vi.stubEnv('LONGHAND_AUDIT_KEY', '');
  vi.stubEnv('TEMPORAL_NAMESPACE', '');
  const store = await openStore(at('store.db'));
  await auditChain(store, 'errand-1', errand());
  await auditChain(store, 'loan-1', loan({ task: '=HYPERLINK("http://evil"), "now"' }));
  await store.close();
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** What a command printed and reported, and its exit code. */
async function run(command: (terminal: Terminal) => Promise<number>) {
  let printed = '';
  let reported = '';
  const terminal: Terminal = {
    write: (text) => {
      printed += text;
    },
    writeRaw: (text) => {
      printed += text;
    },
    report: (line) => {
      reported += `${line}\n`;
    },
    color: false,
    width: 160,
    tableWidth: 160,
  };
  const code = await command(terminal);
  return { printed, reported, code };
}

const ask = (flags: Partial<QueryFlags> = {}) => run((terminal) => queryAuditLog(terminal, { limit: '50', ...flags }));
const take = (flags: Partial<AuditExportFlags> = {}) =>
  run((terminal) => exportAudit(terminal, { format: 'jsonl', by: 'ana', ...flags }));
const verifyExport = (folder?: string, flags: Partial<AuditVerifyFlags> = {}) =>
  run((terminal) => verifyAudit(terminal, folder, { key: [], anchor: [], ...flags }));

async function withKey(name = 'audit.pem') {
  const { printed } = await run((terminal) => manageAuditKey(terminal, { out: at(name) }));
  vi.stubEnv('LONGHAND_AUDIT_KEY', at(name));
  return printed.trim();
}

describe('audit key', () => {
  it('creates a key that only its owner can read, never replaces it, and prints its id', async () => {
    const id = await withKey();
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(at('audit.pem')).mode & 0o777).toBe(0o600);
    expect((await run((terminal) => manageAuditKey(terminal, {}))).printed.trim()).toBe(id);
    await expect(run((terminal) => manageAuditKey(terminal, { out: at('audit.pem') }))).rejects.toThrow(
      matchError('audit_key_invalid', 'the file exists'),
    );
    writeFileSync(at('bad.pem'), 'none');
    vi.stubEnv('LONGHAND_AUDIT_KEY', at('bad.pem'));
    await expect(run((terminal) => manageAuditKey(terminal, {}))).rejects.toThrow(
      matchError('audit_key_invalid', 'not a PEM file'),
    );
  });
});

describe('audit query', () => {
  it('lists matching entries, the newest first', async () => {
    const { printed } = await ask({ tool: 'record_decision' });
    expect(printed).toContain('3.1 record_decision: ok');
    expect(printed).toContain('3.1 record_decision: approved');
    expect(printed).not.toContain('DENY');
    expect((await ask({ chain: 'nothing' })).reported).toContain('No audit entry matches.');
    expect((await ask({ outcome: 'success', type: 'chain_ended', limit: '1' })).reported).toContain('--cursor ');
  });

  it('prints contents only on request, and first records that they are read', async () => {
    const { printed } = await ask({ type: 'tool_called', contents: true, by: 'mallory' });
    expect(printed).toContain('arguments: applicant_id=78291');
    const { printed: lines } = await ask({ person: 'mallory', json: true });
    const read = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(read.map(({ type, chainId }) => [type, chainId])).toEqual([
      ['content_viewed', 'errand-1'],
      ['content_viewed', 'loan-1'],
    ]);
  });

  it('rejects invalid flags', async () => {
    await expect(ask({ type: 'everything' })).rejects.toThrow(matchError('usage', '--type everything'));
    await expect(ask({ cursor: 'x' })).rejects.toThrow(matchError('usage', '--cursor x'));
    await expect(ask({ since: 'soon' })).rejects.toThrow(matchError('usage', '--since soon'));
    vi.stubEnv('LONGHAND_STORE', 'none');
    await expect(ask()).rejects.toThrow(matchError('usage', 'LONGHAND_STORE'));
  });
});

describe('audit export and audit verify', () => {
  it('agree on an unaltered export', async () => {
    const id = await withKey();
    expect((await take({ out: at('proof'), chain: 'loan-1' })).reported).toContain(`signed with key ${id}`);
    expect(statSync(at('proof')).mode & 0o777).toBe(0o700);
    const { printed, code } = await verifyExport(at('proof'), { key: [id] });
    expect([code, printed]).toEqual([
      0,
      expect.stringContaining('✓ 18 entries, 1 left out, 18 contents: all unaltered'),
    ]);
    expect((await verifyExport(at('proof'), { key: [at('audit.pem')] })).code).toBe(0);
    const other = await withKey('other.pem');
    const wrong = await verifyExport(at('proof'), { key: [other] });
    expect([wrong.code, wrong.printed]).toEqual([1, expect.stringContaining('which is not an accepted key')]);
    await expect(take({ out: at('proof') })).rejects.toThrow(matchError('usage', 'proof already exists'));
  });

  it('agree on an export of a whole tree with --root, whose report names the same flag', async () => {
    const id = await withKey();
    const store = await openStore(at('store.db'));
    await auditChain(store, 'loan-1/2.1', errand());
    await store.close();
    await take({ out: at('tree'), root: 'loan-1' });
    const { printed } = await verifyExport(at('tree'), { key: [id] });
    expect(printed).toContain('✓ 25 entries, 1 left out, 25 contents: all unaltered');
    const { printed: report } = await take({ format: 'markdown', root: 'loan-1' });
    expect(report).toContain('## Chain `loan-1/2.1`');
    expect(report).toContain('longhand audit export --namespace default --root loan-1 --out proof');
    expect((await ask({ root: 'loan-1', type: 'chain_ended' })).printed).toMatch(/loan-1\/2\.1/);
  });

  it('report altered entries and exit with 1', async () => {
    await withKey();
    await take({ out: at('proof') });
    const file = at('proof/entries.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"by":"ana"', '"by":"bob"'));
    const { printed, code } = await verifyExport(at('proof'));
    expect(code).toBe(1);
    expect(printed).toMatch(/Entry \d+ \(tenant acme in namespace default\) was altered/);
    const { printed: json } = await verifyExport(at('proof'), { json: true });
    expect(JSON.parse(json)).toMatchObject({ ok: false, problems: [{ kind: 'altered' }] });
    await expect(verifyExport(at('nowhere'))).rejects.toThrow(matchError('usage', 'nowhere'));
    await expect(verifyExport(at('proof'), { key: ['short'] })).rejects.toThrow(matchError('usage', '--key short'));
  });

  it('agree on an unsigned and unaltered export, with a note; a signature may be required', async () => {
    expect((await take({ out: at('proof') })).reported).toContain('The export is not signed');
    const { printed, code } = await verifyExport(at('proof'));
    expect([code, printed]).toEqual([0, expect.stringContaining('Not signed: nothing proves who wrote them.')]);
    const { printed: json } = await verifyExport(at('proof'), { json: true });
    const notes = [{ kind: 'unsigned' }, { kind: 'manifest_unsigned' }];
    expect(JSON.parse(json)).toMatchObject({ ok: true, problems: [], notes });
    const required = await verifyExport(at('proof'), { requireSignature: true });
    expect([required.code, required.printed]).toEqual([
      1,
      expect.stringContaining('✗ not completely signed: 2 faults'),
    ]);
    const both = { requireSignature: true, unsigned: true };
    await expect(verifyExport(at('proof'), both)).rejects.toThrow(matchError('usage', 'cannot be combined'));
  });

  it('verify the log in its store, which records the verification', async () => {
    expect((await verifyExport()).printed).toContain('all unaltered');
    expect((await ask({ type: 'verified' })).printed).toContain('25 entries are intact');
    expect((await verifyExport(undefined, { requireSignature: true })).printed).toContain('✗ not completely signed');
  });

  it('record the person and the filters of an export', async () => {
    await take({ out: at('proof'), tenant: 'acme', agent: 'loan_officer' });
    const { printed } = await ask({ type: 'exported', json: true });
    expect(JSON.parse(printed)).toMatchObject({
      who: { by: 'ana' },
      what: { format: 'jsonl', filters: { tenant: 'acme', agent: 'loan_officer' } },
    });
    expect((await take({ out: at('none'), chain: 'nothing' })).reported).toContain('nothing was exported');
    expect(existsSync(at('none'))).toBe(false);
  });
});

describe('audit export --prompts', () => {
  const readPrompts = () =>
    readFileSync(at('proof/prompts.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);

  it('adds the prompt of each model call, which the digest in its entry proves, and is recorded', async () => {
    const play = prepared();
    const request = renderRequest(play.chain, agentOf(), 'step');
    play.replied({ ...answers('Done.'), request: computeDigest(toCanonicalJson(request)) });
    const store = await openStore(at('store.db'));
    await auditChain(store, 'chain-1', play);
    await putRun(store, playedSegment('chain-1', play));
    await store.close();
    const id = await withKey();
    await take({ out: at('proof'), chain: 'chain-1', prompts: true });
    const prompt = expect.objectContaining({ proof: 'proven', provider: 'some-provider', request });
    expect(readPrompts()).toEqual([expect.objectContaining({ chainId: 'chain-1', call: 'model-1', prompt })]);
    const recipe = readFileSync(at('proof/VERIFY.md'), 'utf8');
    const script = [...recipe.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');
    const followed = execFileSync('bash', ['-ec', script], { cwd: at('proof'), encoding: 'utf8', stdio: 'pipe' });
    expect(followed).toContain('prompts.jsonl: OK');
    expect(followed).toContain('proven prompts: 1');
    expect((await verifyExport(at('proof'), { key: [id] })).code).toBe(0);
    const [recorded = ''] = (await ask({ type: 'exported', json: true })).printed.split('\n');
    expect(JSON.parse(recorded)).toMatchObject({ what: { filters: { prompts: true } } });
    expect((await verifyExport(at('proof'), { key: [id] })).printed).toContain('Prompts: 1 as they were sent');
    writeFileSync(at('proof/prompts.jsonl'), `${JSON.stringify(readPrompts()[0]).replace('clerk', 'judge')}\n`);
    const { code, printed } = await verifyExport(at('proof'), { key: [id] });
    expect(code).toBe(1);
    expect(printed).toContain('The prompt of model-1 in entry');
  });

  it('reports a chain that is not in the archive, and needs the provable format', async () => {
    const { reported } = await take({ out: at('proof'), chain: 'errand-1', prompts: true });
    expect(reported).toContain('errand-1 is not in the archive');
    expect(readPrompts()[0]).toMatchObject({ call: 'model-1', prompt: null });
    await expect(take({ format: 'csv', prompts: true })).rejects.toThrow(matchError('usage', '--prompts'));
  });
});

describe('audit export', () => {
  it.each([
    ['chain', { chain: 'errand-1' }, 'Done.'],
    ['time', { until: '1970-01-01T00:00:02Z' }, 'applicant_id'],
  ] as const)('by %s contains no later entries, in any format', async (by, filter, fits) => {
    const id = await withKey();
    if (by === 'time') {
      vi.stubEnv('LONGHAND_STORE', at('loans.db'));
      const store = await openStore(at('loans.db'));
      await auditChain(store, 'loan-1', loan());
      await store.close();
    }
    for (const format of ['jsonl', 'csv', 'markdown'] as const) {
      const out = at(`by-${by}.${format}`);
      await take({ ...filter, format, out });
      const text = readFileSync(format === 'jsonl' ? join(out, 'contents.jsonl') : out, 'utf8');
      expect(text).toContain(fits);
      expect(text).not.toMatch(/DENY|annual_income/);
      if (format === 'jsonl') expect((await verifyExport(out, { key: [id] })).code).toBe(0);
    }
  });

  it('as a table contains no formulas', async () => {
    await take({ format: 'csv', out: at('log.csv') });
    const text = readFileSync(at('log.csv'), 'utf8');
    const rows = text.trimEnd().split('\r\n');
    expect(rows.length).toBe(1 + 25 + 1);
    expect(rows[0]).toMatch(/^seq,at,namespace,tenant,type,/);
    expect(text).not.toMatch(/(^|,)[=+@-]/m);
    expect(text).toContain('"{""task"":""=HYPERLINK(\\""http://evil\\""), \\""now\\""""}"');
  });

  it('as a report names the calls whose results the arguments of later calls repeat', async () => {
    const play = prepared();
    play.replied(asks({ tool: 'look', input: { firm: 'ACME' } }));
    play.returned('1.1', 'It earned 1,247 million.');
    play.replied(asks({ tool: 'save', input: { amount: 1247 } }));
    play.returned('2.1', 'Saved.');
    play.replied(answers('Done.'));
    const store = await openStore(at('store.db'));
    await auditChain(store, 'flow-1', play);
    await store.close();
    const { printed } = await take({ format: 'markdown', chain: 'flow-1' });
    expect(printed).toContain('save] amount=1247 [repeats 1.1] -> Saved. (2.1)');
    expect(printed).not.toContain('ACME [repeats');
  });

  it('as a report lists actions, data, approvals and the way to verify them', async () => {
    const id = await withKey();
    const { printed } = await take({ format: 'markdown', chain: 'loan-1' });
    for (const line of [
      'outcome: `success`',
      '[API: credit_check] applicant_id=78291 -> score=580 (1.1)',
      '[THINKING] "The DTI ratio exceeds the maximum (0.43)."',
      '[SKILL: risk_assessment] dti=0.48 -> risk_level="HIGH" (2.2)',
      '[APPROVED by ana] record_decision (3.1) "As the policy requires."',
      '| 3.1 `record_decision` | approved | `ana` (`credit`) |',
      '- last thought, in step 3: `The DTI ratio exceeds the maximum (0.43).`',
      '| `social_media_search` | external | read | 0 | 0 |',
      'prompt version (SHA-256 of the instructions)',
      `Signed with the key \`${id}\``,
      'longhand audit export --namespace default --chain loan-1 --out proof',
    ]) {
      expect(printed).toContain(line);
    }
  });

  it('as a report repeats every filter in the command that proves it', async () => {
    const since = '1970-01-01T00:00:00Z';
    const { printed } = await take({ format: 'markdown', since, type: 'decided', text: 'As the policy' });
    expect(printed).toContain(
      "longhand audit export --namespace default --type decided --since 1970-01-01T00:00:00.000Z --text 'As the policy' --out proof",
    );
  });
});

describe('a view of unmasked content', () => {
  const viewAs = (role: string, named: string | null = 'loan-1') =>
    recordView({ role, command: 'chain show', named }, [{ chainId: 'loan-1', tenant: 'acme', agent: 'loan_officer' }]);

  it('is recorded, and a view of masked content is not', async () => {
    await viewAs('auditor');
    await viewAs('developer');
    await viewAs('auditor', './loan-1.json');
    const { printed } = await ask({ type: 'content_viewed', json: true });
    expect(
      printed
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ chainId: 'loan-1', tenant: 'acme', what: { role: 'auditor', command: 'chain show' } }]);
  });

  it('is rejected when it cannot be recorded', async () => {
    vi.stubEnv('LONGHAND_STORE', 'postgres://127.0.0.1:1/none');
    await expect(viewAs('auditor')).rejects.toThrow(matchError('not_visible', 'the audit log must record'));
    await viewAs('developer');
    vi.stubEnv('LONGHAND_STORE', 'none');
    await viewAs('auditor');
  });
});
