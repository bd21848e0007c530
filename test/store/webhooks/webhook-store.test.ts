/** Webhooks of tenants: one tenant's webhooks are nobody else's, and secrets are sealed where there are keys. */

import { expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/core/audit/entry.js';
import { createFixedKeySource } from '../../../src/encryption/master-keys.js';
import { createSealer } from '../../../src/encryption/sealer.js';
import type { Store } from '../../../src/store/db/store.js';
import { createWebhookStore, isInterested, type NewWebhook } from '../../../src/store/webhooks/webhook-store.js';
import { matchError } from '../../support/match-error.js';
import { alsoOnPostgres, describeStores } from '../../support/stores.js';

const namespace = 'default';
const hook: NewWebhook = { tenant: 'acme', url: 'https://hooks.example.com/in', events: ['chain-ended', 'chain-held'] };
const change = { who: { by: 'ana', roles: ['ops'] }, at: 5_000 };
const createTestSealer = () =>
  createSealer(
    createFixedKeySource({ current: 'k1', keys: { k1: { key: Buffer.alloc(32, 7).toString('base64') } } }),
    undefined,
    'webhooks',
  );

async function readAudit({ db }: Store, tenant: string | null) {
  const rows = await db.selectFrom('audit_entries').select(['entry', 'tenant']).orderBy('log').orderBy('seq').execute();
  return rows.filter((row) => row.tenant === tenant).map(({ entry }) => JSON.parse(entry) as AuditEntry);
}

describeStores((open) => {
  it('lists, finds and deletes the webhooks of one tenant', async () => {
    const webhooks = createWebhookStore(await open(), { namespace, sealer: null });
    const mine = await webhooks.create(hook, change);
    const others = await webhooks.create({ ...hook, tenant: 'other', agents: ['clerk'], subChains: true }, change);
    const without = await webhooks.create({ ...hook, tenant: null }, change);
    expect(await webhooks.list('acme')).toEqual([mine.webhook]);
    expect(await webhooks.list(null)).toEqual([without.webhook]);
    expect(await webhooks.list()).toHaveLength(3);
    expect(others.webhook).toMatchObject({ agents: ['clerk'], subChains: true, active: true, lastAttempt: null });
    expect(await webhooks.findWithSecret(mine.webhook.id)).toEqual(mine);
    expect(mine.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(mine.secret).not.toBe(others.secret);
    expect(await webhooks.delete(mine.webhook.id, change, 'other')).toBe(false);
    expect(await webhooks.delete(mine.webhook.id, change, null)).toBe(false);
    expect(await webhooks.delete(mine.webhook.id, change, 'acme')).toBe(true);
    expect(await webhooks.findWithSecret(mine.webhook.id)).toBeNull();
    expect(await webhooks.delete(others.webhook.id, change)).toBe(true);
  });

  it('belongs to a namespace', async () => {
    const store = await open();
    const { webhook } = await createWebhookStore(store, { namespace, sealer: null }).create(hook, change);
    const elsewhere = createWebhookStore(store, { namespace: 'staging', sealer: null });
    expect(await elsewhere.list()).toEqual([]);
    expect(await elsewhere.findWithSecret(webhook.id)).toBeNull();
    expect(await elsewhere.delete(webhook.id, change)).toBe(false);
  });

  it('records attempts and is deactivated', async () => {
    const webhooks = createWebhookStore(await open(), { namespace, sealer: null });
    const { webhook } = await webhooks.create(hook, change);
    await webhooks.recordAttempt(webhook.id, { at: 5, result: '503' });
    await webhooks.deactivate(webhook.id);
    const [after] = await webhooks.list('acme');
    expect(after).toEqual({ ...webhook, active: false, lastAttempt: { at: 5, result: '503' } });
  });

  it('seals secrets, which open only with the key and for their tenant', async () => {
    const store = await open();
    const sealed = createWebhookStore(store, { namespace, sealer: createTestSealer() });
    const { webhook, secret } = await sealed.create(hook, change);
    const { secret: stored } = await store.db.selectFrom('webhooks').select('secret').executeTakeFirstOrThrow();
    expect(stored).not.toContain(secret.slice(6, 20));
    expect((await sealed.findWithSecret(webhook.id))?.secret).toBe(secret);
    const keyless = createWebhookStore(store, { namespace, sealer: null });
    await expect(keyless.findWithSecret(webhook.id)).rejects.toThrow(matchError('encryption_no_key'));
    await store.write((tx) => tx.updateTable('webhooks').set({ tenant: 'other' }).execute());
    await expect(sealed.findWithSecret(webhook.id)).rejects.toThrow(matchError('encryption_altered'));
  });

  it('rejects URLs without encryption, with passwords, and of no server', async () => {
    const webhooks = createWebhookStore(await open(), { namespace, sealer: null });
    for (const url of [
      'http://example.com/',
      'https://ana:secret@example.com/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'example.com',
      'javascript:alert(1)',
      `https://example.com/${'a'.repeat(2_000)}`,
      'http://127.0.0.1.example.com/',
    ]) {
      const failure = await webhooks.create({ ...hook, url }, change).catch((error: Error) => error);
      expect(failure, url).toMatchObject({ code: 'invalid_options' });
      expect(String(failure)).not.toContain('secret');
    }
    for (const url of [
      'http://127.0.0.1:80/a',
      'http://localhost:3000/',
      'http://[::1]:3000/',
      'https://example.com:8443/a?b=c',
    ])
      expect((await webhooks.create({ ...hook, url }, change)).webhook.url).toBe(new URL(url).href);
  });

  it('are at most 50 of a tenant', async () => {
    const webhooks = createWebhookStore(await open(), { namespace, sealer: null });
    for (let count = 0; count < 50; count++) await webhooks.create(hook, change);
    await expect(webhooks.create(hook, change)).rejects.toThrow(matchError('tenant_limit_reached'));
    await webhooks.create({ ...hook, tenant: 'other' }, change);
  });

  it('are at most 50 of a tenant, also where several are created at the same time', async () => {
    const webhooks = createWebhookStore(await open(), { namespace, sealer: null });
    const made = await Promise.allSettled(Array.from({ length: 60 }, () => webhooks.create(hook, change)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    expect(await webhooks.list('acme')).toHaveLength(50);
  });

  it('are audited in the log of their tenant, without their path and their secret', async () => {
    const store = await open();
    const webhooks = createWebhookStore(store, { namespace, sealer: null });
    const url = 'https://hooks.example.com:8443/services/T0-path?token=hidden';
    const { webhook, secret } = await webhooks.create({ ...hook, url, agents: ['clerk'] }, change);
    expect(await webhooks.delete(webhook.id, change, 'other')).toBe(false);
    await webhooks.delete(webhook.id, { ...change, at: 6_000 }, 'acme');
    expect(await webhooks.delete(webhook.id, change, 'acme')).toBe(false);
    await webhooks.create({ ...hook, tenant: null }, change);
    const entries = await readAudit(store, 'acme');
    const place = { namespace, tenant: 'acme', chainId: null, who: change.who };
    const target = { webhook: webhook.id, host: 'hooks.example.com:8443' };
    expect(entries).toEqual([
      expect.objectContaining({
        ...{ ...place, type: 'webhook_created', at: 5_000 },
        what: { ...target, events: ['chain-ended', 'chain-held'], agents: ['clerk'] },
      }),
      expect.objectContaining({ ...place, type: 'webhook_deleted', at: 6_000, what: target }),
    ]);
    for (const hidden of [secret, 'T0-path', 'hidden']) expect(JSON.stringify(entries)).not.toContain(hidden);
    expect(await readAudit(store, null)).toHaveLength(1);
  });
}, alsoOnPostgres);

it('a webhook gets events of its tenant, its types and its agents', async () => {
  const webhook = {
    ...{ id: '1', tenant: 'acme', url: 'https://example.com/', agents: [], subChains: false, active: true },
    ...{ events: ['chain-ended', 'chain-waiting'] as const, createdAt: 500_000, lastAttempt: null },
  };
  const event = {
    type: 'chain-ended',
    tenant: 'acme',
    agent: 'clerk',
    chainId: 'a',
    rootId: 'a',
    at: 500_000,
  } as const;
  expect(isInterested(webhook, event)).toBe(true);
  expect(isInterested({ ...webhook, agents: ['clerk'] }, event)).toBe(true);
  expect(isInterested({ ...webhook, agents: ['other'] }, event)).toBe(false);
  expect(isInterested(webhook, { ...event, at: 400_000 })).toBe(false);
  expect(isInterested({ ...webhook, active: false }, event)).toBe(false);
  expect(isInterested(webhook, { ...event, type: 'chain-held' })).toBe(false);
  for (const tenant of ['other', '', null]) expect(isInterested(webhook, { ...event, tenant })).toBe(false);
  const child = { ...event, chainId: 'a/1' };
  expect(isInterested(webhook, child)).toBe(false);
  expect(isInterested({ ...webhook, subChains: true }, child)).toBe(true);
  expect(isInterested(webhook, { ...child, type: 'chain-waiting' })).toBe(true);
});
