/** The commands of docs/audit.md, from the key to the verified export, work as the page prints them. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../../src/store/db/open.js';
import { auditChain, errand, loan } from '../../support/audited.js';
import { createEnvironment } from '../../support/command.js';

const page = readFileSync(new URL('../../../docs/audit.md', import.meta.url), 'utf8');
const [, proof = ''] = page.split('\n## Proof\n');
const printed = [...proof.matchAll(/```console\n([\s\S]*?)```/g)].map(([, text = '']) => text).join('');
const [printedKey = ''] = /[0-9a-f]{64}/.exec(printed) ?? [];
const command = fileURLToPath(new URL('../../../bin/longhand.js', import.meta.url));

let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-audit-page-'));
  const store = await openStore(join(folder, 'store.db'));
  await auditChain(store, 'errand-1', errand());
  await auditChain(store, 'loan-2', loan());
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the commands in one shell, and returns what a terminal would show, with the key and the folder of the page. */
function runCommands(): string {
  const lines = printed.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));
  const script = lines.flatMap((line) => [
    `printf '%s\\n' '$ ${line}'`,
    line.replaceAll('/etc/longhand', folder).replaceAll(printedKey, '$KEY'),
    ...(line.startsWith('export LONGHAND_AUDIT_KEY') ? ['KEY=$(longhand audit key)'] : []),
  ]);
  const { stdout } = spawnSync(
    'bash',
    ['-c', ['exec 2>&1', `longhand() { ${process.execPath} ${command} "$@"; }`, ...script].join('\n')],
    { cwd: folder, encoding: 'utf8', env: { ...createEnvironment(), LONGHAND_STORE: join(folder, 'store.db') } },
  );
  return stdout.replaceAll(folder, '/etc/longhand').replaceAll(/[0-9a-f]{64}/g, printedKey);
}

it('each command of the page prints what the page shows, with and without a signature', () => {
  expect(runCommands()).toBe(printed);
});
