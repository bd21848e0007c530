/** Every operation of the gateway, once, through its client, on a real server. A new operation fails here until it has a test. */

import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../../src/entries/http.js';
import { createOpenApiDocument } from '../../../src/gateway/openapi.js';
import { operations } from '../../../src/http/operations.js';
import { canary, useGatewayScene } from '../../support/gateway-scene.js';

const scene = useGatewayScene();

const cases: { readonly [id in OperationId]: () => Promise<void> } = {
  getGateway: async () => {
    const { name, paths } = await scene.connect().getGateway();
    expect(name).toBe('Longhand gateway');
    const answers = Object.values(paths).map(async (path) => (await fetch(new URL(path, scene.url))).status);
    // Chains and the inbox need a credential.
    expect(await Promise.all(answers)).toEqual([200, 401, 401, 200]);
  },

  getHealth: async () => expect(await scene.connect().getHealth()).toEqual({ status: 'ok' }),

  getReadiness: async () =>
    expect(await scene.connect().getReadiness()).toEqual({ status: 'ready', temporal: 'ok', store: 'ok' }),

  getMetrics: async () => {
    await scene.owner.listChains();
    const admin = scene.connect(await scene.createKey({ tenant: null }));
    for (const until = performance.now() + 300; performance.now() < until; );
    await expect.poll(admin.getMetrics).toMatch(/longhand_gateway_loop_blocked_seconds_count\{.*\} [1-9]/);
    const text = await admin.getMetrics();
    await expect(scene.owner.getMetrics()).rejects.toMatchObject({ status: 403 });
    expect(text).toMatch(/longhand_gateway_request_seconds_count\{.*operation="listChains".*\} [1-9]/);
  },

  getOpenApi: async () => expect(await scene.connect().getOpenApi()).toMatchObject(createOpenApiDocument()),

  startChain: async () => {
    const input = { agent: 'clerk', task: 'Answer.', limits: { steps: 3 } };
    const first = await scene.owner.startChain(input, { idempotencyKey: 'order-1' });
    expect(first).toEqual({ chainId: expect.stringMatching(/^clerk-/), existed: false });
    expect(await scene.owner.startChain(input, { idempotencyKey: 'order-1' })).toEqual({ ...first, existed: true });
    const other = scene.owner.startChain({ ...input, task: 'Another.' }, { idempotencyKey: 'order-1' });
    await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict', status: 409 });
  },

  listChains: async () => {
    const ended = await scene.owner.listChains({ agent: 'clerk', tenant: scene.tenant, status: 'ended', limit: 200 });
    expect(ended.items.map(({ chainId }) => chainId)).toContain(scene.ended);
    const waiting = await scene.owner.listChains({ status: 'waiting', limit: 200 });
    expect(waiting.items.map(({ chainId }) => chainId)).toContain(scene.waiting);
    const first = await scene.owner.listChains({ limit: 1 });
    expect(first.items).toHaveLength(1);
    const second = await scene.owner.listChains({ limit: 1, cursor: first.cursor ?? '' });
    expect(second.items[0]?.chainId).not.toBe(first.items[0]?.chainId);
  },

  searchChains: async () => {
    const { items } = await scene.owner.searchChains({ text: canary, outcome: 'success' });
    expect(items.map(({ chainId }) => chainId)).toContain(scene.ended);
  },

  getChain: async () => {
    const view = await scene.owner.getChain({ chainId: scene.ended, as: 'developer', expand: 'all' });
    expect(view).toMatchObject({
      chainId: scene.ended,
      agent: 'clerk',
      outcome: 'success',
      tenant: scene.tenant,
      user: 'ana',
    });
    expect(view.steps.length).toBeGreaterThan(2);
  },

  getResult: async () => {
    expect(await scene.owner.getResult({ chainId: scene.waiting })).toEqual({
      chainId: scene.waiting,
      status: 'running',
    });
    expect(await scene.owner.getResult({ chainId: scene.ended, wait: 30 })).toMatchObject({
      ...{ status: 'ended', outcome: 'success', answer: `${canary} is done.` },
    });
  },

  followChain: async () => {
    const events = await readAll(scene.owner.followChain({ chainId: scene.ended }));
    expect(events.at(0)?.event).toBe('view-opened');
    expect(events.at(-1)?.event).toBe('view-completed');
    const ids = events.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    // From each place, the rest and no more.
    for (const [at, lastEventId] of ids.entries()) {
      const rest = await readAll(scene.owner.followChain({ chainId: scene.ended, lastEventId: lastEventId ?? '' }));
      expect(rest).toEqual(events.slice(at + 1));
    }
  },

  followReasoning: async () => {
    const events = await readAll(scene.owner.followReasoning({ chainId: scene.ended, as: 'developer' }));
    expect(events.at(-1)).toMatchObject({ event: 'view-completed', data: { chain_status: 'completed' } });
    expect(events.flatMap(({ data }) => (data.type === 'reasoning' ? [data.step.type] : []))).toEqual(
      expect.arrayContaining(['tool_call', 'tool_result', 'synthesis']),
    );
  },

  followUp: async () => {
    const input = { chainId: scene.ended, text: 'And now?' };
    const next = await scene.owner.followUp(input, { idempotencyKey: 'turn-2' });
    expect(next.chainId).not.toBe(scene.ended);
    const again = await scene.owner.followUp(input, { idempotencyKey: 'turn-2' });
    expect(again).toEqual({ chainId: next.chainId, existed: true });
    const other = scene.owner.followUp({ ...input, text: 'Something else?' }, { idempotencyKey: 'turn-2' });
    await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict', status: 409 });
  },

  getThread: async () => {
    const { chainId: first } = await scene.owner.startChain({ agent: 'clerk', task: 'Answer.' });
    await scene.owner.getResult({ chainId: first, wait: 30 });
    const { chainId } = await scene.owner.followUp({ chainId: first, text: 'And then?' });
    await expect
      .poll(async () => (await scene.owner.getThread({ chainId })).items.map((item) => item.chainId))
      .toEqual([first, chainId]);
  },

  forkChain: async () => {
    const input = { chainId: scene.ended, atStep: 1 };
    const fork = await scene.owner.forkChain(input, { idempotencyKey: 'fork-1' });
    expect(await scene.owner.getResult({ chainId: fork.chainId, wait: 30 })).toMatchObject({ outcome: 'success' });
    const again = await scene.owner.forkChain(input, { idempotencyKey: 'fork-1' });
    expect(again).toEqual({ chainId: fork.chainId, existed: true });
    const other = scene.owner.forkChain({ ...input, message: 'Be brief.' }, { idempotencyKey: 'fork-1' });
    await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict', status: 409 });
  },

  listForks: async () => {
    const { chainId } = await scene.owner.forkChain({ chainId: scene.ended, atStep: 1 });
    await expect
      .poll(async () => (await scene.owner.listForks({ chainId: scene.ended })).items)
      .toEqual(expect.arrayContaining([chainId]));
  },

  exportChain: async () => {
    const markdown = await scene.owner.exportChain({ chainId: scene.ended });
    expect(markdown.headers.get('content-type')).toMatch(/^text\/markdown/);
    expect(await markdown.text()).toContain('report');
    const file = await scene.owner.exportChain({ chainId: scene.ended, format: 'json' });
    expect(JSON.parse(await file.text())).toMatchObject({ chainId: scene.ended });
  },

  getObservation: async () => {
    const response = await scene.owner.getObservation({ chainId: scene.ended, call: '1.1' });
    expect((await response.text()).length).toBeGreaterThan(200_000);
  },

  getFile: async () => {
    const whole = await scene.owner.getFile({ chainId: scene.ended, name: 'memo.txt' });
    expect(await whole.text()).toBe(`${canary} memo`);
    const part = await scene.owner.getFile(
      { chainId: scene.ended, name: 'report.txt', call: '1.1' },
      { headers: { range: 'bytes=11-16' } },
    );
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 11-16/17',
      'report',
    ]);
  },

  listRequests: async () => {
    const { items } = await scene.owner.listRequests({ chainId: scene.waiting, as: 'developer' });
    expect(items).toMatchObject([{ call: '1.1', kind: 'approval', tool: 'pay', input: { cents: 4200 } }]);
  },

  decideRequest: async () => {
    const chainId = await scene.startWaiting();
    const { items } = await scene.owner.listRequests({ chainId });
    const decided = await scene.owner.decideRequest({
      ...{ chainId, call: '1.1', decision: 'approve', reason: 'Fine.' },
      ...{ by: 'ana', digest: items[0]?.digest },
    });
    expect(decided).toMatchObject({ status: 'accepted' });
    expect(await scene.owner.getResult({ chainId, wait: 30 })).toMatchObject({ outcome: 'success' });
  },

  listInbox: async () => {
    const { items } = await scene.owner.listInbox({ limit: 200 });
    expect(items.map(({ chainId }) => chainId)).toContain(scene.waiting);
  },

  steerChain: async () => {
    const steered = await scene.owner.steerChain({ chainId: scene.waiting, text: 'Be brief.' });
    expect(steered).toMatchObject({ status: 'accepted' });
  },

  pauseChain: async () => {
    const chainId = await scene.startWaiting();
    await scene.owner.pauseChain({ chainId, at: { step: 2 } });
    await scene.owner.decideRequest({ chainId, call: '1.1', decision: 'approve' });
    await expect.poll(() => findPaused(chainId)).toBe(true);
  },

  resumeChain: async () => {
    const chainId = await scene.startWaiting();
    await scene.owner.pauseChain({ chainId });
    await scene.owner.resumeChain({ chainId, reason: 'Go.' });
    await scene.owner.decideRequest({ chainId, call: '1.1', decision: 'deny', reason: 'No.' });
    expect(await scene.owner.getResult({ chainId, wait: 30 })).toMatchObject({ outcome: 'success' });
  },

  raiseLimits: async () => {
    expect(await scene.owner.raiseLimits({ chainId: scene.waiting, limits: { steps: 50 } })).toMatchObject({
      status: 'accepted',
    });
  },

  signalChain: async () => {
    const sent = await scene.owner.signalChain({ chainId: scene.waiting, name: 'paid', data: { at: 1 }, id: 's-1' });
    expect(sent).toMatchObject({ status: 'accepted' });
  },

  cancelChain: async () => {
    const chainId = await scene.startWaiting();
    await scene.owner.cancelChain({ chainId, reason: 'Not needed.' });
    expect(await scene.owner.getResult({ chainId, wait: 30 })).toMatchObject({ outcome: 'cancelled' });
  },

  createKey: async () => {
    const { key, ...item } = await scene.owner.createKey({ name: 'reader', scopes: ['read'], views: ['end_user'] });
    expect(item).toMatchObject({ tenant: scene.tenant, scopes: ['read'], revokedAt: null });
    const reader = scene.connect(key);
    expect((await reader.listChains()).items.length).toBeGreaterThan(0);
    await expect(reader.pauseChain({ chainId: scene.waiting })).rejects.toMatchObject({ code: 'scope_missing' });
  },

  listKeys: async () => {
    const { items } = await scene.owner.listKeys({ limit: 200 });
    expect(items.map(({ name }) => name)).toContain('owner');
    expect(JSON.stringify(items)).not.toContain(scene.ownerKey.split('_').slice(2).join('_'));
  },

  revokeKey: async () => {
    const { id, key } = await scene.owner.createKey({ name: 'lost', scopes: ['read'] });
    const client = scene.connect(key);
    await client.listChains();
    expect(await scene.owner.revokeKey({ keyId: id })).toMatchObject({ id, revokedAt: expect.any(Number) });
    await expect
      .poll(() =>
        client.listChains().then(
          () => 'accepted',
          (error: { code: string }) => error.code,
        ),
      )
      .toBe('unauthenticated');
  },

  createLink: async () => {
    const { url, expiresAt } = await scene.owner.createLink({ chainId: scene.waiting, call: '1.1', by: 'ana' });
    expect(url).toMatch(/\/links\//);
    expect(expiresAt).toBeGreaterThan(Date.now());
  },

  showLink: async () => {
    const { url } = await scene.owner.createLink({ chainId: scene.waiting, call: '1.1', by: 'ana', as: 'developer' });
    const page = await fetch(url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('4200');
  },

  decideByLink: async () => {
    const chainId = await scene.startWaiting();
    const { url } = await scene.owner.createLink({ chainId, call: '1.1', by: 'ana' });
    const decide = () => fetch(url, { method: 'POST', body: new URLSearchParams({ decision: 'approve' }) });
    expect((await decide()).status).toBe(200);
    expect((await decide()).status).toBe(409);
    expect(await scene.owner.getResult({ chainId, wait: 30 })).toMatchObject({ outcome: 'success' });
  },

  createWebhook: async () => {
    const webhook = await scene.owner.createWebhook({ url: 'https://acme.example/hook', events: ['chain-held'] });
    expect(webhook).toMatchObject({ tenant: scene.tenant, active: true, secret: expect.stringMatching(/^whsec_/) });
  },

  listWebhooks: async () => {
    const { id } = await scene.owner.createWebhook({ url: 'https://acme.example/list', events: ['chain-held'] });
    const { items } = await scene.owner.listWebhooks();
    expect(items.map((item) => item.id)).toContain(id);
    expect(JSON.stringify(items)).not.toContain('whsec_');
  },

  deleteWebhook: async () => {
    const { id } = await scene.owner.createWebhook({ url: 'https://acme.example/gone', events: ['chain-held'] });
    expect(await scene.owner.deleteWebhook({ webhookId: id })).toBeUndefined();
    expect((await scene.owner.listWebhooks()).items.map((item) => item.id)).not.toContain(id);
  },

  putBudget: async () => {
    const budget = { tenant: scene.tenant, per: 'day', usd: 5 } as const;
    const name = `the budget of tenant ${scene.tenant} per day`;
    expect(await scene.operator.putBudget(budget)).toEqual({ budget: name });
    await expect(scene.owner.putBudget({ ...budget, usd: 500 })).rejects.toMatchObject({ code: 'not_visible' });
    await expect(scene.operator.putBudget({ tenant: 'acme', per: 'day' })).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('must have a limit: calls, tokens or usd'),
    });
  },

  listBudgets: async () => {
    await scene.operator.putBudget({ tenant: scene.tenant, per: 'hour', calls: 9, onLimit: 'ask' });
    await scene.operator.putBudget({ tenant: 'rival', per: 'hour', calls: 9 });
    const { items } = await scene.owner.listBudgets();
    expect(items.find(({ budget }) => budget.per === 'hour')).toMatchObject({
      budget: { tenant: scene.tenant, calls: 9, onLimit: 'ask' },
      source: 'person',
      spenders: [{ tenant: scene.tenant, spent: { calls: 0, tokens: 0, usd: 0 } }],
    });
    expect(JSON.stringify(items)).not.toContain('rival');
  },

  raiseBudget: async () => {
    const key = { tenant: scene.tenant, per: 'minute' } as const;
    await expect(scene.operator.raiseBudget({ ...key, usd: 2 })).rejects.toMatchObject({ code: 'budget_not_found' });
    await scene.operator.putBudget({ ...key, usd: 5 });
    await scene.operator.raiseBudget({ ...key, usd: 2 });
    const { items } = await scene.owner.listBudgets();
    expect(items.find(({ budget }) => budget.per === 'minute')?.spenders[0]?.raised).toMatchObject({ usd: 2 });
    await expect(scene.owner.raiseBudget({ ...key, usd: 2 })).rejects.toMatchObject({ code: 'not_visible' });
    const audited = await scene.owner.queryAudit({ type: 'budget_changed', limit: 200 });
    expect(audited.items.map(({ entry }) => entry.what)).toContainEqual({
      change: 'raised',
      budget: `the budget of tenant ${scene.tenant} per minute`,
      amounts: { usd: 2 },
    });
  },

  deleteBudget: async () => {
    const key = { tenant: scene.tenant, per: 'month' } as const;
    await scene.operator.putBudget({ ...key, usd: 5 });
    expect(await scene.operator.deleteBudget(key)).toBeUndefined();
    await expect(scene.operator.deleteBudget(key)).rejects.toMatchObject({ code: 'budget_not_found', status: 404 });
  },

  sendChatMessage: async () => {
    const stream = await scene.owner.sendChatMessage({ ...chat, messages: [toMessage('m-1', 'Answer.')] });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(await stream.text()).toMatch(/"type":"text-delta"[\s\S]*data: \[DONE\]/);
  },

  resumeChat: async () => {
    const { status } = await scene.owner.resumeChat(chat);
    expect(status).toBe(204);
  },

  getChatMessages: async () => {
    const stream = await scene.owner.sendChatMessage({
      ...chat,
      id: 'chat-2',
      messages: [toMessage('m-1', 'Answer.')],
    });
    await stream.text();
    const { messages } = await scene.owner.getChatMessages({ ...chat, id: 'chat-2' });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  },

  runAgUi: async () => {
    const stream = await scene.owner.runAgUi({
      ...{ agent: 'clerk', threadId: 'thread-1', runId: 'run-1', forwardedProps: { user: 'ana' } },
      messages: [{ id: 'm-1', role: 'user', content: 'Answer.' }],
    });
    expect(await stream.text()).toMatch(/"RUN_STARTED"[\s\S]*"RUN_FINISHED"/);
  },

  queryAudit: async () => {
    const { items } = await scene.owner.queryAudit({ chainId: scene.ended, limit: 200 });
    expect(items.map(({ entry }) => entry.type)).toEqual(expect.arrayContaining(['chain_started', 'chain_ended']));
    const [withContents] = (await scene.owner.queryAudit({ chainId: scene.ended, contents: true })).items;
    expect(withContents).toHaveProperty('contents');
  },

  getPreferences: async () =>
    expect(await scene.owner.getPreferences({ user: 'olga' })).toMatchObject({ thinking: expect.any(Boolean) }),

  putPreferences: async () => {
    const preferences = await scene.owner.getPreferences({ user: 'tom' });
    await scene.owner.putPreferences({ user: 'tom', ...preferences, thinking: !preferences.thinking });
    expect(await scene.owner.getPreferences({ user: 'tom' })).toMatchObject({ thinking: !preferences.thinking });
    const tom = scene.connect(
      await scene.createKey({ name: 'tom', user: 'tom', roles: [], scopes: ['read'], views: ['end_user'] }),
    );
    expect(await tom.putPreferences(preferences)).toEqual(preferences);
    const reader = scene.connect(await scene.createKey({ name: 'reader', scopes: ['read'], views: ['end_user'] }));
    await expect(reader.putPreferences({ user: 'tom', ...preferences })).rejects.toMatchObject({
      code: 'scope_missing',
    });
  },
};

const chat = { agent: 'clerk', id: 'chat-1', user: 'ana' };

function toMessage(id: string, text: string) {
  return { id, role: 'user' as const, parts: [{ type: 'text', text }] };
}

async function findPaused(chainId: string): Promise<boolean> {
  const { items } = await scene.owner.listInbox({ root: chainId });
  return items.some((item) => item.chainId === chainId && item.paused !== null);
}

async function readAll<T>(events: AsyncIterable<T>): Promise<readonly T[]> {
  const read: T[] = [];
  for await (const event of events) read.push(event);
  return read;
}

it('an id with any characters is one segment of each path', async () => {
  const platform = scene.connect(await scene.createKey({ tenant: null }));
  const chainId = `${scene.tenant}/1.1 50% %2F?a=b#c+é`;
  await platform.startChain({ agent: 'clerk', task: 'Answer.', tenant: scene.tenant, chainId });
  expect(await scene.owner.getResult({ chainId, wait: 30 })).toMatchObject({ chainId, outcome: 'success' });
  expect((await readAll(scene.owner.followChain({ chainId }))).at(-1)?.event).toBe('view-completed');
  const thread = await scene.owner.getThread({ chainId });
  expect(thread.items.map((item) => item.chainId)).toEqual([chainId]);
});

describe('the operation', () => {
  it.each(Object.keys(operations) as OperationId[])('%s works', async (id) => {
    await cases[id]();
  });
});
