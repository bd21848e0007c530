/** Webhooks: each event of a tenant's chains arrives once, signed, however its workers and its receiver fail. */

import { OpenAI } from 'openai';
import { expect, it, onTestFinished } from 'vitest';
import { notifierWorkflowType, stateQuery } from '../../../src/contract/names.js';
import type { NotifierResult } from '../../../src/contract/notifier.js';
import type { WebhookEventType } from '../../../src/core/model/webhook-event.js';
import { resolveEncryption } from '../../../src/encryption/encryption.js';
import { createSealer } from '../../../src/encryption/sealer.js';
import type { Store } from '../../../src/entries/store.js';
import { defineAgent } from '../../../src/index.js';
import { createWebhookStore, type NewWebhook, type WebhookStore } from '../../../src/store/webhooks/webhook-store.js';
import { type ChainTest, type ChainTestOptions, withWorker } from '../../support/chain-test.js';
import { deployer } from '../../support/deciding-agents.js';
import { type Site, type SiteAnswer, type SiteRequest, useSite } from '../../support/http-site.js';
import { waitForRequests } from '../../support/people.js';
import { useFileStore } from '../../support/stores.js';
import { useOwnServer } from '../../support/temporal.js';

useOwnServer();
const files = useFileStore();

const allEvents = ['chain-ended', 'chain-waiting', 'chain-held'] as const;
const writer = defineAgent({ name: 'writer', model: 'claude-sonnet-5-5' });
const guarded = defineAgent({ name: 'guarded', model: 'open' });
const models = { open: { provider: 'anthropic', id: 'claude-sonnet-5-5', dataClasses: ['public'] } } as const;
const ok: SiteAnswer = (response) => void response.writeHead(204).end();

/** A receiver on this machine, which the workers of the test may request. */
async function useReceiver(answer: SiteAnswer = ok): Promise<Site & { readonly url: string }> {
  const site = await useSite(answer);
  const before = process.env.LONGHAND_WEBHOOK_PRIVATE_HOSTS;
  // The port of a closed site may be that of another test's site, which is not permitted.
  onTestFinished(() => {
    process.env.LONGHAND_WEBHOOK_PRIVATE_HOSTS = before ?? '';
  });
  process.env.LONGHAND_WEBHOOK_PRIVATE_HOSTS = [before, `127.0.0.1:${site.port}`].filter(Boolean).join(',');
  return { ...site, url: `http://127.0.0.1:${site.port}/in` };
}

function openWebhooks(store: Store): WebhookStore {
  const encryption = resolveEncryption(undefined, process.env);
  const sealer = encryption === null ? null : createSealer(encryption.keys, undefined, 'webhooks');
  return createWebhookStore(store, { namespace: 'default', sealer });
}

const createHook = (webhook: Partial<NewWebhook> & Pick<NewWebhook, 'url'>) =>
  openWebhooks(files.store).create(
    { tenant: 'acme', events: allEvents, ...webhook },
    { who: { by: 'ana', roles: [] }, at: Date.now() },
  );

interface Body {
  readonly type: WebhookEventType;
  readonly timestamp: string;
  readonly data: { readonly id: string; readonly chainId: string } & Readonly<Record<string, unknown>>;
}

const parse = ({ body }: SiteRequest) => JSON.parse(body) as Body;
const findTypes = ({ requests }: Site, chainId: string) =>
  requests.map(parse).flatMap(({ type, data }) => (data.chainId === chainId ? [type] : []));

/** OpenAI's SDK verifies its own webhooks by the same specification. */
async function expectValid({ body, headers }: SiteRequest, secret: string): Promise<void> {
  const { webhooks } = new OpenAI({ apiKey: 'none' });
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  await webhooks.verifySignature(body, sent, secret);
  await expect(webhooks.verifySignature(`${body} `, sent, secret)).rejects.toThrow();
  await expect(webhooks.verifySignature(body, { ...sent, 'webhook-id': 'other' }, secret)).rejects.toThrow();
  const old = { ...sent, 'webhook-timestamp': String(Number(sent['webhook-timestamp']) - 1) };
  await expect(webhooks.verifySignature(body, old, secret)).rejects.toThrow();
}

/** Waits until the notifiers of the test have ended, and returns their results. */
async function readResults(
  { longhand: { client }, taskQueue }: ChainTest,
  notifiers: number,
): Promise<readonly NotifierResult[]> {
  const query = `WorkflowType = '${notifierWorkflowType}' AND TaskQueue = '${taskQueue}'`;
  const countEnded = async () => (await client.workflow.count(`${query} AND ExecutionStatus != 'Running'`)).count;
  await expect.poll(countEnded).toBe(notifiers);
  const results: NotifierResult[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) {
    results.push(await client.workflow.getHandle<() => Promise<NotifierResult>>(workflowId).result());
  }
  return results;
}

const run = (options: ChainTestOptions, body: Parameters<typeof withWorker>[1]) =>
  withWorker({ ...options, worker: { store: files.store, ...options.worker } }, body);

const answerOnce = [{ text: 'Done.' }];
const askForPush = [
  { calls: [{ name: 'git_push', input: { branch: 'main', token: 'hunter2-secret' } }] },
  { text: 'It is out.' },
];

it('receives that a chain waits for a person and that it ended, signed, without content', async () => {
  const receiver = await useReceiver();
  const { secret } = await createHook({ url: receiver.url });
  await run({ agents: [deployer], replies: askForPush }, async ({ longhand }) => {
    const chain = await longhand.start(deployer, 'Push the confidential work', { tenant: 'acme', user: 'ana' });
    const { chainId } = chain;
    await expect.poll(() => receiver.requests.length).toBe(1);
    await chain.approve('1.1', { by: 'bob' });
    await chain.result();
    await expect.poll(() => receiver.requests.length).toBe(2);
    const [waiting, ended] = receiver.requests.map(parse);
    const base = { chainId, rootId: chainId, agent: 'deployer', tenant: 'acme', user: 'ana' };
    expect(waiting).toMatchObject({
      type: 'chain-waiting',
      data: {
        ...{ ...base, outcome: null, paused: false, heldBy: null },
        requests: [{ call: '1.1', kind: 'approval', expiresAt: expect.any(String), roles: [] }],
      },
    });
    expect(ended).toMatchObject({ type: 'chain-ended', data: { ...base, outcome: 'success', requests: [] } });
    for (const request of receiver.requests) {
      await expectValid(request, secret);
      expect(request.headers['webhook-id']).toBe(parse(request).data.id);
      expect(request.body).not.toMatch(/confidential|hunter2|Others get|It is out/);
    }
    const [webhook] = await openWebhooks(files.store).list('acme');
    await expect.poll(async () => (await openWebhooks(files.store).list('acme'))[0]?.lastAttempt?.result).toBe('204');
    expect(webhook?.active).toBe(true);
  });
});

it('receives that a chain is paused, and that it is held', async () => {
  const receiver = await useReceiver();
  await createHook({ url: receiver.url, tenant: null });
  const options = { agents: [guarded, deployer], replies: askForPush, worker: { models } };
  await run(options, async ({ longhand }) => {
    const held = await longhand.start(guarded, 'Read this', { dataClass: 'secret' });
    await expect.poll(() => findTypes(receiver, held.chainId)).toEqual(['chain-held']);
    expect(parse(receiver.requests[0] as SiteRequest).data).toMatchObject({ heldBy: 'provider', tenant: null });
    await held.cancel();
    await held.result();
    const paused = await longhand.start(deployer, 'Push');
    await waitForRequests(longhand, paused.chainId, '1.1');
    await paused.pause({ by: 'ana' });
    await paused.deny('1.1', { by: 'ana' });
    await expect.poll(() => findTypes(receiver, paused.chainId)).toEqual(['chain-waiting', 'chain-waiting']);
    expect(receiver.requests.map(parse).at(-1)?.data).toMatchObject({ paused: true });
    await paused.resume({ by: 'ana' });
    await paused.result();
    await expect.poll(() => findTypes(receiver, paused.chainId).at(-1)).toBe('chain-ended');
    expect(findTypes(receiver, held.chainId)).toEqual(['chain-held', 'chain-ended']);
  });
});

it('receives what it missed while it was down, in one delivery of each event', async () => {
  let isDown = true;
  let refused = 0;
  const receiver = await useReceiver((response) => {
    if (isDown) refused += 1;
    response.writeHead(isDown ? 503 : 200).end();
  });
  const steady = await useReceiver();
  await createHook({ url: receiver.url });
  await createHook({ url: steady.url });
  await run({ agents: [writer], replies: answerOnce }, async (test) => {
    const { longhand } = test;
    const chain = await longhand.start(writer, 'Write', { tenant: 'acme' });
    await chain.result();
    await expect.poll(() => refused).toBeGreaterThan(1);
    isDown = false;
    const [result] = await readResults(test, 1);
    expect(result).toMatchObject({ delivered: [expect.any(String), expect.any(String)], failed: [], gone: [] });
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect(receiver.requests).toHaveLength(refused + 1);
    // The other receiver gets no copy of the attempts.
    expect(steady.requests).toHaveLength(1);
  });
});

it('is sent once by several workers, which report and sweep at the same time', async () => {
  const receiver = await useReceiver();
  await createHook({ url: receiver.url });
  const replies = Array.from({ length: 6 }, () => ({ text: 'Done.' }));
  await run({ agents: [writer], replies, worker: { sweepInterval: 30 } }, async (test) => {
    const { longhand, startWorker } = test;
    await startWorker({ sweepInterval: 30 });
    const chains = await Promise.all(replies.map(() => longhand.start(writer, 'Write', { tenant: 'acme' })));
    for (const chain of chains) await chain.result();
    await expect.poll(() => receiver.requests.length).toBe(chains.length);
    await expect
      .poll(async () => (await files.store.db.selectFrom('archive_sweeps').selectAll().execute())[0]?.watermark)
      .toBeGreaterThan(0);
    await startWorker({ sweepInterval: 30 });
    const results = await readResults(test, chains.length);
    expect(results.filter(({ delivered }) => delivered.length > 0)).toHaveLength(receiver.requests.length);
    expect(receiver.requests.map((request) => parse(request).data.chainId).toSorted()).toEqual(
      chains.map(({ chainId }) => chainId).toSorted(),
    );
  });
});

it('receives from the sweep what a worker that died did not report: ends, terminations and waits', async () => {
  const receiver = await useReceiver();
  await createHook({ url: receiver.url });
  const replies = [...answerOnce, ...askForPush.slice(0, 1), ...askForPush.slice(0, 1)];
  // A worker without the store reports nothing, as one that died in time.
  const options = { agents: [writer, deployer], replies, worker: { store: null } };
  await withWorker(options, async ({ longhand, worker, startWorker }) => {
    const start = (agent: Parameters<typeof longhand.start>[0]) => longhand.start(agent, 'Do it', { tenant: 'acme' });
    const ended = await start(writer);
    await ended.result();
    const waiting = await start(deployer);
    await waitForRequests(longhand, waiting.chainId, '1.1');
    const killed = await start(deployer);
    await waitForRequests(longhand, killed.chainId, '1.1');
    // A run without a task cannot be queried after its end, as the test does.
    await longhand.client.workflow.getHandle(killed.chainId).query(stateQuery);
    await longhand.client.workflow.getHandle(killed.chainId).terminate();
    await worker.stop();
    expect(receiver.requests).toEqual([]);
    await startWorker({ store: files.store, sweepInterval: 50 });
    await expect.poll(() => receiver.requests.length).toBe(3);
    expect(findTypes(receiver, ended.chainId)).toEqual(['chain-ended']);
    expect(findTypes(receiver, waiting.chainId)).toEqual(['chain-waiting']);
    expect(findTypes(receiver, killed.chainId)).toEqual(['chain-ended']);
    const outcomes = receiver.requests.map((request) => parse(request).data.outcome);
    expect(outcomes.toSorted()).toEqual([null, 'success', 'terminated']);
    await waiting.cancel();
    await waiting.result();
  });
});

it('receives only chains of its own tenant, its agents and its types of events', async () => {
  const [acme, other, without, ends, agents] = await Promise.all([1, 2, 3, 4, 5].map(() => useReceiver()));
  await createHook({ url: acme?.url ?? '' });
  await createHook({ url: other?.url ?? '', tenant: 'other' });
  await createHook({ url: without?.url ?? '', tenant: null });
  await createHook({ url: ends?.url ?? '', events: ['chain-held'] });
  await createHook({ url: agents?.url ?? '', agents: ['writer'], tenant: 'other' });
  const replies = () => ({ text: 'Done.' });
  await run({ agents: [writer], replies }, async (test) => {
    const { longhand } = test;
    const started = await Promise.all(
      [{ tenant: 'acme' }, { tenant: 'other' }, {}].map((of) => longhand.start(writer, 'Write', of)),
    );
    for (const chain of started) await chain.result();
    const received = () =>
      [acme, other, without, agents].map((site) => site?.requests.map((each) => parse(each).data.chainId));
    const [one, two, three] = started.map(({ chainId }) => [chainId]);
    await expect.poll(received).toEqual([one, two, three, two]);
    await readResults(test, 3);
    expect(received()).toEqual([one, two, three, two]);
    expect(ends?.requests).toEqual([]);
  });
});

it('that answers 410 is deactivated, and a client error is not retried', async () => {
  const gone = await useReceiver((response) => void response.writeHead(410).end());
  const wrong = await useReceiver((response) => void response.writeHead(404).end());
  const away = await useReceiver((response) => void response.writeHead(302, { location: wrong.url }).end());
  await createHook({ url: gone.url });
  await createHook({ url: wrong.url });
  await createHook({ url: away.url });
  await run({ agents: [writer], replies: () => ({ text: 'Done.' }) }, async (test) => {
    const { longhand } = test;
    await (await longhand.start(writer, 'Write', { tenant: 'acme' })).result();
    await expect.poll(() => [gone, wrong, away].map(({ requests }) => requests.length)).toEqual([1, 1, 1]);
    const [result] = await readResults(test, 1);
    expect(result).toMatchObject({ delivered: [], gone: [expect.any(String)], failed: { length: 2 } });
    const listed = await openWebhooks(files.store).list('acme');
    const states = listed.map(({ url, active, lastAttempt }) => [url, { active, result: lastAttempt?.result }]);
    expect(Object.fromEntries(states)).toEqual({
      [gone.url]: { active: false, result: '410' },
      [wrong.url]: { active: true, result: '404' },
      [away.url]: { active: true, result: '302' },
    });
    await (await longhand.start(writer, 'Write', { tenant: 'acme' })).result();
    await expect.poll(() => wrong.requests.length).toBe(2);
    await readResults(test, 2);
    expect(gone.requests).toHaveLength(1);
    // The redirect was not followed: both requests of the other receiver are its own.
    expect(wrong.requests).toHaveLength(2);
  });
});

it('is not sent to a private address that nobody permitted', async () => {
  const site = await useSite(ok);
  await createHook({ url: `http://127.0.0.1:${site.port}/` });
  await run({ agents: [writer], replies: answerOnce }, async (test) => {
    const { longhand } = test;
    await (await longhand.start(writer, 'Write', { tenant: 'acme' })).result();
    await expect
      .poll(async () => (await openWebhooks(files.store).list('acme'))[0]?.lastAttempt?.result)
      .toBe('address_not_allowed');
    expect((await readResults(test, 1))[0]).toMatchObject({ delivered: [], failed: [expect.any(String)] });
    expect(site.requests).toEqual([]);
  });
});

it('costs chains without a webhook no workflow, and none an event of their own history', async () => {
  const receiver = await useReceiver();
  const replies = () => ({ text: 'Done.' });
  await run({ agents: [writer], replies, worker: { sweepInterval: 30 } }, async (test) => {
    const { longhand } = test;
    const countEvents = async (tenant: string) => {
      const chain = await longhand.start(writer, 'Write', { tenant });
      await chain.result();
      return (await longhand.client.workflow.getHandle(chain.chainId).fetchHistory()).events?.length;
    };
    const without = await countEvents('acme');
    await createHook({ url: receiver.url, tenant: 'other' });
    expect(await countEvents('other')).toBe(without);
    await expect.poll(() => receiver.requests.length).toBe(1);
    await countEvents('acme');
    expect(await readResults(test, 1)).toHaveLength(1);
  });
});
