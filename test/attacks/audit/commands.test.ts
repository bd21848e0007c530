/** `longhand audit anchor`, `accept`, `verify --anchor`, and the report of `doctor` on a log that differs from its signed heads. */

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { exportAudit } from '../../../src/cli/audit/export.js';
import {
  type AnchorFlags,
  acceptRestoredLogs,
  anchorHeads,
  manageAuditKey as keyCommand,
} from '../../../src/cli/audit/signing.js';
import { type AuditVerifyFlags, verifyAudit } from '../../../src/cli/audit/verify.js';
import { checkAudit } from '../../../src/cli/doctor/store.js';
import type { Terminal } from '../../../src/cli/terminal/terminal.js';
import type { Store } from '../../../src/entries/store.js';
import { openStore } from '../../../src/store/db/open.js';
import { auditChain, errand, loan } from '../../support/audited.js';
import { asBob, rewriteLog, runWithoutTriggers } from '../../support/back-door.js';
import { matchError } from '../../support/match-error.js';
import { printed } from '../../support/printed.js';

let folder = '';
let id = '';
const at = (name: string) => join(folder, name);

async function inStore(work: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await openStore(at('store.db'));
  await work(store).finally(() => store.close());
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-anchor-'));
  vi.stubEnv('LONGHAND_STORE', at('store.db'));
  vi.stubEnv('TEMPORAL_NAMESPACE', '');
  vi.stubEnv('LONGHAND_AUDIT_HEADS', '');
  vi.stubEnv('LONGHAND_AUDIT_KEY', at('audit.pem'));
  id = (await run((terminal) => keyCommand(terminal, { out: at('audit.pem') }))).printed.trim();
  await inStore((store) => auditChain(store, 'loan-1', loan()));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function run(command: (terminal: Terminal) => Promise<number>) {
  const { out, reported, code } = await printed(command, 400);
  return { printed: out, reported, code };
}

const anchorNow = (flags: AnchorFlags = {}) => run((terminal) => anchorHeads(terminal, flags));
const prove = (flags: Partial<AuditVerifyFlags> = {}, exported?: string) =>
  run((terminal) => verifyAudit(terminal, exported, { key: [], anchor: [], ...flags }));

it('an anchor reveals a rewritten log; verification can be repeated', async () => {
  expect((await prove({ key: [id] })).printed).toContain('or with --require-signature, unsigned entries are a fault.');
  const { printed, reported } = await anchorNow();
  expect(JSON.parse(printed)).toMatchObject({ format: 'longhand.audit.anchor', namespace: 'default' });
  expect(reported).toContain(`signed with key ${id}`);
  await anchorNow({ out: at('anchors.jsonl') });
  await inStore((store) => auditChain(store, 'errand-1', errand()));
  await anchorNow({ out: at('anchors.jsonl') });
  expect(readFileSync(at('anchors.jsonl'), 'utf8').trim().split('\n').length).toBe(2);
  for (let look = 0; look < 2; look++) {
    const { code, printed: text } = await prove({ key: [id], anchor: [at('anchors.jsonl')] });
    expect([code, text]).toEqual([0, expect.stringMatching(/Extends \d anchored heads/)]);
  }
  await inStore((store) => rewriteLog(store, 'acme', asBob));
  await inStore((store) => runWithoutTriggers(store, 'delete from audit_heads'));
  const { code, printed: text } = await prove({ anchor: [at('anchors.jsonl')] });
  expect([code, text]).toEqual([1, expect.stringContaining('The log was rewritten')]);
  await expect(anchorNow()).rejects.toMatchObject(matchError('audit_log_rejected', 'entry 25'));
});

it('with a key, unsigned entries are a fault; --unsigned allows only those after the newest head', async () => {
  await anchorNow();
  await inStore((store) => auditChain(store, 'errand-1', errand()));
  expect((await prove({ key: [id] })).code).toBe(1);
  expect((await prove({ key: [id], unsigned: true })).code).toBe(0);
  await inStore((store) => runWithoutTriggers(store, 'delete from audit_heads'));
  expect((await prove({ key: [id], unsigned: true })).code).toBe(1);
  expect((await prove({ unsigned: true })).code).toBe(0);

  vi.stubEnv('LONGHAND_AUDIT_KEY', '');
  await run((terminal) => exportAudit(terminal, { format: 'jsonl', by: 'ana', out: at('proof') }));
  expect((await prove({ unsigned: true }, at('proof'))).code).toBe(0);
  const { code, printed } = await prove({ key: [id], unsigned: true }, at('proof'));
  expect([code, printed]).toEqual([1, expect.stringContaining('The export is not signed')]);
});

it('an export is verified against an anchor, and the number of anchored heads is printed', async () => {
  await anchorNow({ out: at('anchor.json') });
  await run((terminal) => exportAudit(terminal, { format: 'jsonl', by: 'ana', out: at('proof') }));
  const whole = await prove({ anchor: [at('anchor.json')] }, at('proof'));
  expect([whole.code, whole.printed]).toEqual([0, expect.stringContaining('Extends 1 anchored head')]);
  await inStore((store) => auditChain(store, 'errand-1', errand()));
  await run((terminal) => exportAudit(terminal, { format: 'jsonl', by: 'ana', out: at('later'), chain: 'errand-1' }));
  const later = await prove({ anchor: [at('anchor.json')] }, at('later'));
  expect([later.code, later.printed]).toEqual([0, expect.stringContaining('It contains no anchored head')]);
});

it('an invalid or altered anchor is rejected', async () => {
  await anchorNow({ out: at('anchor.json') });
  const text = readFileSync(at('anchor.json'), 'utf8');
  writeFileSync(at('altered.json'), text.replace(/\\"seq\\":18/, '\\"seq\\":17'));
  expect((await prove({ anchor: [at('altered.json')] })).printed).toContain(
    'Invalid signature of the head at entry 17 (tenant acme in namespace default)',
  );
  for (const [file, problem] of [
    ['{', 'line 1 is not JSON'],
    ['{}', 'line 1 is not a longhand.audit.anchor'],
    ['', 'it is empty'],
    [text.replace('"heads":[', '"heads":["x",'), 'is incomplete'],
    [text.replace('"version":1', '"version":2'), 'its version is 2; expected 1'],
  ]) {
    writeFileSync(at('bad.json'), file ?? '');
    await expect(prove({ anchor: [at('bad.json')] })).rejects.toMatchObject(matchError('usage', problem));
  }
  await expect(prove({ anchor: [at('none.json')] })).rejects.toMatchObject(matchError('usage', at('none.json')));
  appendFileSync(at('anchor.json'), '\n');
  expect((await prove({ anchor: [at('anchor.json')] })).code).toBe(0);
});

it('a witness receives the anchor, and its rejection is reported', async () => {
  const taken: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    taken.push(body);
    response.writeHead(taken.length === 1 ? 201 : 503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const post = `http://127.0.0.1:${(server.address() as AddressInfo).port}/anchors`;
  await anchorNow({ post });
  expect(JSON.parse(taken[0] ?? '')).toMatchObject({ keys: { [id]: expect.stringContaining('PUBLIC KEY') } });
  await expect(anchorNow({ post })).rejects.toMatchObject(matchError('usage', '503'));
  await new Promise((resolve) => server.close(resolve));
  await expect(anchorNow({ post })).rejects.toMatchObject(matchError('usage', post));
});

it('doctor reports a log that is no longer signed, until a person accepts it', async () => {
  expect(await checkAudit(process.env)).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('1 log extends'),
  });
  await anchorNow();
  await inStore((store) => rewriteLog(store, 'acme', asBob));
  expect(await checkAudit(process.env)).toMatchObject({
    status: 'warning',
    found: expect.stringContaining(
      'has an entry 18 that differs from the signed one, although its head was signed at entry 18',
    ),
    remedy: expect.stringContaining('longhand audit accept --reason'),
  });
  const { printed } = await run((terminal) =>
    acceptRestoredLogs(terminal, { reason: 'Restored on Monday', by: 'ana' }),
  );
  expect(printed).toContain('differs from the signed one');
  expect((await run((terminal) => acceptRestoredLogs(terminal, { reason: 'Again' }))).reported).toContain(
    'there is nothing to accept',
  );
  expect(await checkAudit(process.env)).toMatchObject({ status: 'ok' });
  // The old head still exists and differs from the rewritten log: acceptance does not hide that.
  expect((await prove({ key: [id] })).printed).toContain('The log was rewritten');
  vi.stubEnv('LONGHAND_AUDIT_KEY', at('nowhere.pem'));
  expect(await checkAudit(process.env)).toMatchObject({ status: 'warning', found: 'cannot be signed' });
});
