/** One attempt at a delivery: which answers end it, which are retried, and what is never requested. */

import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deliverWebhook } from '../../../src/activities/notify/deliver-webhook.js';
import type { WebhookEvent } from '../../../src/core/model/webhook-event.js';
import { openStore } from '../../../src/entries/store.js';
import { createWebhookStore } from '../../../src/store/webhooks/webhook-store.js';
import { respond, type SiteAnswer, useSite } from '../../support/http-site.js';

const event: WebhookEvent = {
  ...{ id: 'chain-ended-1', type: 'chain-ended', at: Date.now(), chainId: 'a', rootId: 'a', agent: 'clerk' },
  ...{ tenant: null, user: null, startedAt: 0, outcome: 'success', reasonCode: null, requests: [], paused: false },
  heldBy: null,
};

const change = { who: { by: 'ana', roles: [] }, at: Date.now() };

/** Delivers the event to a URL. @param permitted private hosts */
async function deliver(url: string, permitted: string) {
  const store = await openStore('memory:');
  onTestFinished(store.close);
  process.env.LONGHAND_WEBHOOK_PRIVATE_HOSTS = permitted;
  const webhooks = createWebhookStore(store, { namespace: 'default', sealer: null });
  const { webhook } = await webhooks.create({ tenant: null, url, events: ['chain-ended'] }, change);
  const attempt = () => deliverWebhook({ webhooks })({ webhookId: webhook.id, event });
  const outcome = await attempt().catch((error: unknown) => {
    if (!(error instanceof ApplicationFailure)) throw error;
    return { retried: !error.nonRetryable, afterMs: error.nextRetryDelay, message: error.message };
  });
  const [after] = await webhooks.list();
  return { outcome, result: after?.lastAttempt?.result, active: after?.active, attempt, webhooks, id: webhook.id };
}

async function deliverTo(answer: SiteAnswer) {
  const site = await useSite(answer);
  return { site, ...(await deliver(`http://127.0.0.1:${site.port}/secret-path?token=1`, `127.0.0.1:${site.port}`)) };
}

const status = (code: number, headers: Record<string, string> = {}) => respond(code, 'text/plain', 'body', headers);

describe('a delivery', () => {
  it.each([200, 201, 204, 299])('succeeds with the status %i', async (code) => {
    const { outcome, result, site } = await deliverTo(status(code));
    expect([outcome, result, site.requests.length]).toEqual(['delivered', String(code), 1]);
    expect(site.requests[0]).toMatchObject({ method: 'POST', path: '/secret-path?token=1' });
  });

  it.each([301, 302, 307, 308, 400, 401, 403, 404, 422, 451])('is not retried after the status %i', async (code) => {
    const { outcome, result, active, site } = await deliverTo(status(code, { location: 'http://127.0.0.1:1/' }));
    expect(outcome).toMatchObject({ retried: false });
    expect([result, active, site.requests.length]).toEqual([String(code), true, 1]);
  });

  it.each([408, 409, 425, 429, 500, 502, 503, 504])('is retried after the status %i', async (code) => {
    const { outcome, result } = await deliverTo(status(code));
    expect(outcome).toMatchObject({ retried: true, afterMs: undefined });
    expect([JSON.stringify(outcome).includes('secret-path'), result]).toEqual([false, String(code)]);
  });

  it.each([
    ['7', 7_000],
    ['999999', 3_600_000],
    ['0', undefined],
    ['-5', undefined],
    ['soon', undefined],
    ['Wed, 21 Oct 2020 07:28:00 GMT', undefined],
    [new Date(Date.now() + 86_400_000).toUTCString(), 3_600_000],
  ])('is retried when `retry-after: %s` states', async (written, afterMs) => {
    expect((await deliverTo(status(503, { 'retry-after': written }))).outcome).toMatchObject({
      retried: true,
      afterMs,
    });
  });

  it('deactivates a webhook that answers 410, and a deleted one gets nothing', async () => {
    const { outcome, active, attempt, webhooks, id, site } = await deliverTo(status(410));
    expect([outcome, active]).toEqual(['gone', false]);
    expect(await attempt()).toBe('gone');
    await webhooks.delete(id, change);
    expect(await attempt()).toBe('gone');
    expect(site.requests).toHaveLength(1);
  });

  it('does not read the body of an answer, however long it is', async () => {
    const { outcome } = await deliverTo((response) => {
      response.writeHead(200);
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', write);
      write();
    });
    expect(outcome).toBe('delivered');
  });

  it('is retried when nothing listens or the connection breaks', async () => {
    expect((await deliverTo((response) => void response.destroy())).outcome).toMatchObject({ retried: true });
    expect((await deliver('http://127.0.0.1:1/', '127.0.0.1:1')).outcome).toMatchObject({ retried: true });
  });

  it('is never sent to addresses that nobody permitted', async () => {
    for (const url of [
      'http://127.0.0.1:8080/',
      'http://[::1]:8080/',
      'http://localhost:8080/',
      'https://10.0.0.1/',
      'https://192.168.1.1:8443/',
      'https://169.254.169.254/latest/meta-data/',
      'https://[fd00:ec2::254]/',
      'https://0.0.0.0/',
      'https://[::ffff:127.0.0.1]/',
    ]) {
      const { outcome, result } = await deliver(url, '127.0.0.1:9, hooks.internal');
      expect(outcome, url).toMatchObject({ retried: false });
      expect(result, url).toBe('address_not_allowed');
    }
  });

  it('by a worker without a store is left to another worker', async () => {
    const attempt = deliverWebhook({ webhooks: null })({ webhookId: 'x', event });
    await expect(attempt).rejects.toMatchObject({ nonRetryable: false });
  });
});
