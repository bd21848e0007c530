/** `longhand gateway keys`: a key is printed once, works at once, and no longer after it was revoked. */

import { expect, it } from 'vitest';
import { createKeyAuthenticator } from '../../../src/gateway/identity/authenticate-key.js';
import { createKeyStore } from '../../../src/store/keys/key-store.js';
import { longhandHere } from '../../support/command-here.js';
import { useFileStore } from '../../support/stores.js';

const stored = useFileStore();
const run = (...args: readonly string[]) =>
  longhandHere(['gateway', 'keys', ...args], { LONGHAND_STORE: stored.where });
const forAna = ['--tenant', 'acme', '--user', 'ana', '--scope', 'start,read'];

/** Sends a key to a gateway of the store. */
async function send(key: string) {
  const authenticate = createKeyAuthenticator({ keys: createKeyStore(stored.store, 'default') });
  return authenticate(new Request('http://localhost/', { headers: { authorization: `Bearer ${key}` } }));
}

it('creates a key, prints it alone on standard output, and lists it without its secret', async () => {
  const { code, stdout, stderr } = await run('create', 'web', ...forAna, '--role', 'clerk', '--expires', '90d');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^lh_[0-9a-z]{10}_[\w-]{43}\n$/)]);
  const [, id = '', secret = ''] = /^lh_([0-9a-z]+)_(.+)\n$/.exec(stdout) ?? [];
  expect(stderr).toContain(id);
  expect(stderr).not.toContain(secret);
  expect(await send(stdout.trim())).toMatchObject({ tenant: 'acme', user: 'ana', roles: ['clerk'], reach: 'own' });
  const listed = await run('list');
  expect(listed.stdout).toMatch(new RegExp(`^${id} +web +acme +ana +start read +end_user`, 'm'));
  const [row] = JSON.parse((await run('list', '--json')).stdout) as readonly Record<string, unknown>[];
  expect(row).toMatchObject({ id, name: 'web', scopes: ['start', 'read'], createdBy: expect.any(String) });
  for (const text of [listed.stdout, JSON.stringify(row)]) {
    expect(text).not.toContain(secret);
    expect(text).not.toMatch(/hash/i);
  }
});

it('creates a key of a service for all tenants, as JSON for a script', async () => {
  const flags = ['--all-tenants', '--service', '--scope', 'admin', '--scope', 'audit', '--view', 'developer,auditor'];
  const created = JSON.parse((await run('create', 'ops', ...flags, '--rate', '60', '--json')).stdout) as {
    key: string;
  };
  expect(created).toMatchObject({ tenant: null, user: null, roles: null, reach: 'all', requestsPerMinute: 60 });
  expect(await send(created.key)).toMatchObject({ tenant: null, views: ['developer', 'auditor'] });
});

it('revokes a key by its id or by the key itself, and records both changes in the audit log', async () => {
  const key = (await run('create', 'web', ...forAna)).stdout.trim();
  const [, id = ''] = key.split('_');
  const revoked = await run('revoke', key);
  expect(revoked).toMatchObject({ code: 0, stdout: '' });
  expect(revoked.stderr).not.toContain(key);
  expect(await send(key)).toEqual({ reason: 'revoked' });
  expect((await run('revoke', id)).code).toBe(0);
  expect(JSON.parse((await run('list', '--json')).stdout)).toEqual([]);
  expect((await run('list', '--all')).stdout).toMatch(new RegExp(`${id}.*revoked`));
  const audited = await longhandHere(['audit', 'query', '--json'], { LONGHAND_STORE: stored.where });
  for (const type of ['key_created', 'key_revoked']) expect(audited.stdout).toContain(type);
  expect(audited.stdout).not.toContain(key);
  const readable = await longhandHere(['audit', 'query'], { LONGHAND_STORE: stored.where });
  expect(readable.stdout).toContain(`${id} (web) for ana: start, read`);
});

it('reports a key that does not exist', async () => {
  expect(await run('revoke', '0123456789')).toMatchObject({ code: 1, stderr: expect.stringContaining('0123456789') });
  expect((await run('list')).stdout).toContain('There are no API keys.');
});

it.each([
  [['create', 'web', '--user', 'ana', '--scope', 'read'], '--all-tenants'],
  [['create', 'web', '--tenant', 'a', '--all-tenants', '--user', 'ana', '--scope', 'read'], '--all-tenants'],
  [['create', 'web', '--tenant', 'acme', '--scope', 'read'], '--service'],
  [['create', 'web', '--tenant', 'acme', '--user', 'ana'], 'start, read'],
  [['create', 'web', '--tenant', 'acme', '--user', 'ana', '--scope', 'write'], 'write'],
  [['create', 'web', ...forAna, '--view', 'auditor'], 'audit'],
  [['create', 'web', ...forAna, '--expires', 'soon'], '--expires'],
  [['create', 'web', ...forAna, '--expires', '200 years'], '--expires'],
  [['create', 'web', ...forAna, '--rate', '0'], '--rate'],
  [['create', 'web', ...forAna, '--reach', 'every'], '--reach'],
  [['create', 'x\ny', ...forAna], 'name'],
])('rejects %j as wrong use, and creates nothing', async (args, part) => {
  expect(await run(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(part) });
  expect(JSON.parse((await run('list', '--json')).stdout)).toEqual([]);
});
