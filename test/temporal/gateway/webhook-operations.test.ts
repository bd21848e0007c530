/** Operations and commands on webhooks: each credential has those of its tenant, and a secret is shown once. */

import { expect, it } from 'vitest';
import { connect, type Longhand } from '../../../src/entries/client.js';
import { createWebhookHandlers } from '../../../src/gateway/handlers/webhooks.js';
import type { Identity } from '../../../src/gateway/identity/identity.js';
import { webhookOperations } from '../../../src/http/operations/webhooks.js';
import { createWebhookStore } from '../../../src/store/webhooks/webhook-store.js';
import { longhandHere } from '../../support/command-here.js';
import { mountForTest } from '../../support/mounted.js';
import { useFileStore } from '../../support/stores.js';
import { getTemporalAddress } from '../../support/temporal.js';

const files = useFileStore();
const admin: Identity = {
  ...{ id: 'key 1', by: 'gateway', tenant: 'acme', user: null, roles: null, scopes: new Set(['admin'] as const) },
  ...{ views: ['end_user'], reach: 'all', requestsPerMinute: null },
};

const createApp = (longhand: Longhand, identity: Identity) =>
  mountForTest({
    operations: webhookOperations,
    handlers: createWebhookHandlers({ sealer: null }),
    longhand,
    store: files.store,
    identify: () => identity,
  });

interface Answer {
  readonly id: string;
  readonly code: string;
  readonly secret: string;
  readonly tenant: string | null;
  readonly items: readonly { readonly id: string; readonly tenant: string | null }[];
}

it('a credential creates, lists and deletes the webhooks of its tenant', async () => {
  const longhand = await connect({ address: getTemporalAddress(), store: null });
  try {
    const call = async (identity: Partial<Identity>, method: string, path: string, body?: object) => {
      const answer = await createApp(longhand, { ...admin, ...identity }).request(`/v1/webhooks${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      const text = await answer.text();
      return { status: answer.status, text, ...(text === '' ? {} : (JSON.parse(text) as Partial<Answer>)) };
    };
    const hook = { url: 'https://example.com/in', events: ['chain-ended'] };
    const mine = await call({}, 'POST', '', hook);
    expect(mine).toMatchObject({ status: 201, tenant: 'acme', secret: expect.stringMatching(/^whsec_/) });
    const others = await call({ tenant: 'other' }, 'POST', '', { ...hook, agents: ['clerk'], subChains: true });
    expect(others).toMatchObject({ status: 201, tenant: 'other' });
    expect(await call({}, 'POST', '', { ...hook, tenant: 'other' })).toMatchObject({ status: 400 });
    expect(await call({}, 'POST', '', { ...hook, tenant: null })).toMatchObject({
      status: 400,
      code: 'request_invalid',
    });
    // A credential of all tenants states the tenant.
    expect(await call({ tenant: null }, 'POST', '', hook)).toMatchObject({ status: 400, code: 'invalid_options' });
    const without = await call({ tenant: null }, 'POST', '', { ...hook, tenant: null });
    expect(without).toMatchObject({ status: 201, tenant: null });
    expect((await call({}, 'GET', '')).items?.map(({ id }) => id)).toEqual([mine.id]);
    expect((await call({ tenant: null }, 'GET', '')).items).toHaveLength(3);
    expect((await call({ tenant: null }, 'GET', '?tenant=other')).items?.map(({ id }) => id)).toEqual([others.id]);
    expect((await call({ tenant: null }, 'GET', '')).text).not.toContain('whsec_');
    expect(await call({}, 'DELETE', `/${others.id}`)).toMatchObject({ status: 404, code: 'webhook_not_found' });
    expect(await call({}, 'DELETE', '/no-such')).toMatchObject({ status: 404 });
    expect(await call({}, 'DELETE', `/${mine.id}`)).toMatchObject({ status: 204, text: '' });
    expect(await call({ tenant: null }, 'DELETE', `/${others.id}`)).toMatchObject({ status: 204 });
    for (const wrong of [
      { ...hook, url: 'http://example.com/' },
      { ...hook, events: [] },
      { ...hook, events: ['x'] },
      {},
    ])
      expect((await call({}, 'POST', '', wrong)).status).toBe(400);
    // A webhook would show the chains of others to a credential that reaches only its own.
    const own = { user: 'ana', reach: 'own' } as const;
    expect(await call(own, 'POST', '', hook)).toMatchObject({ status: 403, code: 'not_visible' });
    expect(await call(own, 'GET', '')).toMatchObject({ status: 403 });
    expect(await call(own, 'DELETE', `/${without.id}`)).toMatchObject({ status: 403 });
    expect(await call({ scopes: new Set(['read']) }, 'POST', '', hook)).toMatchObject({ code: 'scope_missing' });
  } finally {
    await longhand.close();
  }
});

it('longhand gateway link-key prints a key', async () => {
  const { code, stdout } = await longhandHere(['gateway', 'link-key']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^[A-Za-z0-9+/]{43}=\n$/)]);
});

it('longhand gateway webhooks creates, lists and deletes them', async () => {
  const run = (...args: readonly string[]) =>
    longhandHere(['gateway', 'webhooks', ...args], { LONGHAND_STORE: files.where });
  expect((await run('list')).stdout).toContain('longhand gateway webhooks create');
  const created = await run(
    'create',
    'https://example.com/in',
    '--tenant',
    'acme',
    '--event',
    'chain-ended,chain-held',
  );
  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) });
  const [webhook] = await createWebhookStore(files.store, { namespace: 'default', sealer: null }).list('acme');
  expect(webhook).toMatchObject({ events: ['chain-ended', 'chain-held'], agents: [], subChains: false });
  const asJson = await run(
    'create',
    'https://example.com/two',
    '--agent',
    'a,b',
    '--agent',
    'c',
    '--sub-chains',
    '--json',
  );
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    ...{ tenant: null, agents: ['a', 'b', 'c'], subChains: true, secret: expect.stringMatching(/^whsec_/) },
    events: ['chain-ended', 'chain-waiting', 'chain-held', 'budget-alert'],
  });
  const listed = await run('list');
  expect(listed.stdout).toContain(webhook?.id);
  expect(listed.stdout).not.toContain('whsec_');
  expect(JSON.parse((await run('list', '--tenant', 'acme', '--json')).stdout)).toHaveLength(1);
  expect(created.stderr).not.toContain('LONGHAND_WEBHOOK_PRIVATE_HOSTS');
  const local = await run('create', 'http://127.0.0.1:3000/in');
  expect(local).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) });
  expect(local.stderr).toMatch(/LONGHAND_WEBHOOK_PRIVATE_HOSTS .* 127\.0\.0\.1:3000/);
  expect((await run('create', '--help')).stdout).not.toContain('[]');
  expect((await run('create', 'http://example.com/')).code).toBe(1);
  expect((await run('create', 'https://example.com/', '--event', 'chain-began')).code).toBe(2);
  expect((await run('delete', webhook?.id ?? '')).code).toBe(0);
  expect((await run('delete', webhook?.id ?? '')).code).toBe(1);
});
