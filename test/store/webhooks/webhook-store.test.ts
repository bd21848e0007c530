/** Webhooks of tenants: one tenant's webhooks are nobody else's, and secrets are sealed where there are keys. */

import { expect, it } from 'vitest';
import { createFixedKeySource } from '../../../src/encryption/master-keys.js';
import { createSealer } from '../../../src/encryption/sealer.js';
import { createWebhookStore, isInterested, type NewWebhook } from '../../../src/store/webhooks/webhook-store.js';
import { matchError } from '../../support/match-error.js';
import { describeStores } from '../../support/stores.js';

const namespace = 'default';
const hook: NewWebhook = { tenant: 'acme', url: 'https://hooks.example.com/in', events: ['chain-ended', 'chain-held'] };
const createTestSealer = () =>
  createSealer(
    createFixedKeySource({ current: 'k1', keys: { k1: { key: Buffer.alloc(32, 7).toString('base64') } } }),
    undefined,
    'webhooks',
  );

describeStores((open) => {
  it('lists, finds and deletes the webhooks of one tenant', async () => {
    const webhooks = createWebhookStore(await open(), { namespace, sealer: null });
    const mine = await webhooks.create(hook);
    const others = await webhooks.create({ ...hook, tenant: 'other', agents: ['clerk'], subChains: true });
    const without = await webhooks.create({ ...hook, tenant: null });
    expect(await webhooks.list('acme')).toEqual([mine.webhook]);
    expect(await webhooks.list(null)).toEqual([without.webhook]);
    expect(await webhooks.list()).toHaveLength(3);
    expect(others.webhook).toMatchObject({ agents: ['clerk'], subChains: true, active: true, lastAttempt: null });
    expect(await webhooks.findWithSecret(mine.webhook.id)).toEqual(mine);
    expect(mine.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(mine.secret).not.toBe(others.secret);
    expect(await webhooks.delete(mine.webhook.id, 'other')).toBe(false);
    expect(await webhooks.delete(mine.webhook.id, null)).toBe(false);
    expect(await webhooks.delete(mine.webhook.id, 'acme')).toBe(true);
    expect(await webhooks.findWithSecret(mine.webhook.id)).toBeNull();
    expect(await webhooks.delete(others.webhook.id)).toBe(true);
  });

  it('belongs to a namespace', async () => {
    const store = await open();
    const { webhook } = await createWebhookStore(store, { namespace, sealer: null }).create(hook);
    const elsewhere = createWebhookStore(store, { namespace: 'staging', sealer: null });
    expect(await elsewhere.list()).toEqual([]);
    expect(await elsewhere.findWithSecret(webhook.id)).toBeNull();
    expect(await elsewhere.delete(webhook.id)).toBe(false);
  });

  it('records attempts and is deactivated', async () => {
    const webhooks = createWebhookStore(await open(), { namespace, sealer: null });
    const { webhook } = await webhooks.create(hook);
    await webhooks.recordAttempt(webhook.id, { at: 5, result: '503' });
    await webhooks.deactivate(webhook.id);
    const [after] = await webhooks.list('acme');
    expect(after).toEqual({ ...webhook, active: false, lastAttempt: { at: 5, result: '503' } });
  });

  it('seals secrets, which open only with the key and for their tenant', async () => {
    const store = await open();
    const sealed = createWebhookStore(store, { namespace, sealer: createTestSealer() });
    const { webhook, secret } = await sealed.create(hook);
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
      const failure = await webhooks.create({ ...hook, url }).catch((error: Error) => error);
      expect(failure, url).toMatchObject({ code: 'invalid_options' });
      expect(String(failure)).not.toContain('secret');
    }
    for (const url of [
      'http://127.0.0.1:80/a',
      'http://localhost:3000/',
      'http://[::1]:3000/',
      'https://example.com:8443/a?b=c',
    ])
      expect((await webhooks.create({ ...hook, url })).webhook.url).toBe(new URL(url).href);
  });

  it('are at most 50 of a tenant', async () => {
    const webhooks = createWebhookStore(await open(), { namespace, sealer: null });
    for (let count = 0; count < 50; count++) await webhooks.create(hook);
    await expect(webhooks.create(hook)).rejects.toThrow(matchError('invalid_options', '50 webhooks'));
    await webhooks.create({ ...hook, tenant: 'other' });
  });
});

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
