/** The code of docs/webhooks.md verifies what Longhand signs, and nothing else. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createWebhookHeaders, formatWebhookBody } from '../src/activities/notify/sign-webhook.js';
import type { WebhookEvent } from '../src/core/model/webhook-event.js';

const page = readFileSync(new URL('../docs/webhooks.md', import.meta.url), 'utf8');
const findBlock = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

const event: WebhookEvent = {
  ...{ id: 'chain-waiting-1', type: 'chain-waiting', at: 1_795_000_000_000, chainId: 'ünï-1', rootId: 'ünï-1' },
  ...{ agent: 'deployer', tenant: 'acme', user: 'ana', startedAt: 1_794_999_000_000, outcome: null, reasonCode: null },
  ...{ paused: false, heldBy: null },
  requests: [{ call: '3.1', kind: 'approval', askedAt: 1_795_000_000_000, roles: ['release'], expiresAt: null }],
};
const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const body = formatWebhookBody(event);
const now = Date.now();
const headers = createWebhookHeaders({ id: event.id, body, secret }, now);

/** Each a delivery, and whether it is valid. */
const cases: readonly (readonly [
  valid: boolean,
  secret: string,
  headers: Readonly<Record<string, string>>,
  body: string,
])[] = [
  [true, secret, headers, body],
  [true, secret, { ...headers, 'webhook-signature': `v1,AAAA v2,x ${headers['webhook-signature']}` }, body],
  [false, `whsec_${Buffer.alloc(32, 8).toString('base64')}`, headers, body],
  [false, secret, headers, `${body} `],
  [false, secret, { ...headers, 'webhook-id': 'other' }, body],
  [false, secret, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }, body],
  [false, secret, createWebhookHeaders({ id: event.id, body, secret }, now - 600_000), body],
  [false, secret, { ...headers, 'webhook-signature': '' }, body],
  [false, secret, {}, body],
];
const expected = cases.map(([valid]) => valid);

it('the code for Node verifies deliveries', async () => {
  const code = `data:text/javascript,${encodeURIComponent(findBlock('js'))}`;
  const { verifyWebhook } = (await import(/* @vite-ignore */ code)) as {
    readonly verifyWebhook: (...delivery: readonly unknown[]) => boolean;
  };
  expect(cases.map(([, ...delivery]) => verifyWebhook(...delivery))).toEqual(expected);
});

it('the code for Python verifies deliveries', () => {
  const program = `${findBlock('python')}
import json, sys
print(json.dumps([verify_webhook(s, h, b.encode()) for s, h, b in json.load(sys.stdin)]))`;
  const input = JSON.stringify(cases.map(([, ...delivery]) => delivery));
  const { stdout, stderr } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' });
  expect(JSON.parse(stdout || JSON.stringify(stderr))).toEqual(expected);
});

it('the example is a delivery', () => {
  const example = JSON.parse(findBlock('json')) as { readonly type: string; readonly data: object };
  const sent = JSON.parse(body) as typeof example;
  expect(Object.keys(example)).toEqual(Object.keys(sent));
  expect(Object.keys(example.data)).toEqual(Object.keys(sent.data));
});
