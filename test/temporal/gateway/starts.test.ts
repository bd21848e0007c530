/** Starts that are sent again, and threads of several users. */

import { describe, expect, it } from 'vitest';
import type { HttpClient } from '../../../src/entries/http.js';
import { useGatewayScene } from '../../support/gateway-scene.js';
import { deleteRun } from '../../support/reset.js';

const scene = useGatewayScene();

async function end(client: HttpClient, chainId: string): Promise<void> {
  expect(await client.getResult({ chainId, wait: 30 })).toMatchObject({ status: 'ended' });
}

describe('a follow-up of a user who reaches only own chains', () => {
  it('never continues the later chain of another user', async () => {
    const ben = scene.connect(await scene.createKey({ name: 'ben', user: 'ben', roles: [], reach: 'own' }));
    const { chainId: first } = await ben.startChain({ agent: 'clerk', task: 'Answer ben.' });
    await end(ben, first);
    const ofAna = { chainId: first, text: 'The secret of ana is walrus-5.', user: 'ana' };
    const { chainId: later } = await scene.owner.followUp(ofAna);
    await end(scene.owner, later);
    const { chainId } = await ben.followUp({ chainId: first, text: 'What did ana write?' });
    await end(ben, chainId);
    const view = await scene.owner.getChain({ chainId, as: 'developer', expand: 'all' });
    expect(view).toMatchObject({ user: 'ben', thread: { follows: first } });
    expect(JSON.stringify(view)).not.toContain('walrus');
    const thread = await ben.getThread({ chainId: first });
    expect(thread.items.map((item) => item.chainId)).toEqual([first, chainId]);
  });

  it('is not rejected while the chain of another user runs', async () => {
    const ben = scene.connect(await scene.createKey({ name: 'ben', user: 'ben', roles: [], reach: 'own' }));
    const { chainId: first } = await ben.startChain({ agent: 'clerk', task: 'Answer ben.' });
    await end(ben, first);
    await scene.owner.followUp({ chainId: first, text: 'PAY', user: 'ana' });
    const { chainId } = await ben.followUp({ chainId: first, text: 'And now?' });
    await end(ben, chainId);
  });
});

interface Sent {
  readonly status: number;
  readonly location: string | null;
  readonly body: { readonly chainId?: string; readonly existed?: boolean; readonly code?: string };
}

async function post(path: string, key: string, body: object): Promise<Sent> {
  const headers = {
    ...{ authorization: `Bearer ${scene.ownerKey}`, 'content-type': 'application/json' },
    'idempotency-key': key,
  };
  const url = `${scene.url}${path}`;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const location = response.headers.get('location');
  return {
    status: response.status,
    location: location === null ? null : new URL(location, url).pathname,
    body: (await response.json()) as Sent['body'],
  };
}

describe('a request with an idempotency key', () => {
  const full = { context: 'The shop.', model: 'claude-sonnet-5-5', limits: { steps: 4 } };
  const messages = [{ role: 'user', text: 'Is the shop open?' }];
  const cases = [
    ['a start', () => '/v1/chains', { agent: 'clerk', task: 'Answer.', messages, ...full }],
    [
      'a start with parts',
      () => '/v1/chains',
      {
        agent: 'clerk',
        task: { messages: [{ role: 'user', parts: [{ text: 'Answer.' }, { data: { shop: 7 } }] }] },
        metadata: { ticket: 'A-17' },
        ...full,
      },
    ],
    ['a follow-up', () => `/v1/chains/${scene.ended}/follow-ups`, { text: 'Answer.', ...full }],
    ['a fork', () => `/v1/chains/${scene.ended}/forks`, { atStep: 1, message: 'Be brief.', limits: { steps: 4 } }],
  ] as const;

  it.each(cases)('for %s has one chain: 201 with its place, then 200', async (name, toPath, body) => {
    const key = name.replaceAll(' ', '-');
    const first = await post(toPath(), key, body);
    const chainId = first.body.chainId ?? '';
    expect(first).toEqual({ status: 201, location: `/v1/chains/${chainId}`, body: { chainId, existed: false } });
    expect(await post(toPath(), key, body)).toEqual({ status: 200, location: null, body: { chainId, existed: true } });
    await end(scene.owner, chainId);
    expect(await post(toPath(), key, body)).toMatchObject({ status: 200, body: { chainId, existed: true } });
  });

  it.each([cases[0], cases[3]])('for %s has one chain as long as the archive has it', async (name, toPath, body) => {
    const key = `${name.replace(' ', '-')}-archived`;
    const { chainId = '' } = (await post(toPath(), key, body)).body;
    await end(scene.owner, chainId);
    const listArchived = async () => (await scene.owner.searchChains({ limit: 200 })).items.map((row) => row.chainId);
    await expect.poll(listArchived, { timeout: 20_000 }).toContain(chainId);
    const { longhand } = scene.test;
    await deleteRun(longhand, chainId, (await longhand.client.workflow.getHandle(chainId).describe()).runId);
    expect(await post(toPath(), key, body)).toMatchObject({ status: 200, body: { chainId, existed: true } });
    const other = await post(toPath(), key, { ...body, dataClass: 'public' });
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
  });

  it('for two follow-ups at once with other texts has one chain, and rejects the other text', async () => {
    let path = `/v1/chains/${scene.ended}/follow-ups`;
    for (const key of ['both-1', 'both-2', 'both-3']) {
      const sent = await Promise.all(['Answer.', 'Answer briefly.'].map((text) => post(path, key, { text })));
      expect(sent.map(({ status }) => status).sort()).toEqual([201, 409]);
      const { chainId = '' } = sent.find(({ status }) => status === 201)?.body ?? {};
      await end(scene.owner, chainId);
      path = `/v1/chains/${chainId}/follow-ups`;
    }
  });

  it.each(cases)('for %s and other content is rejected', async (name, toPath, body) => {
    const key = `${name.replaceAll(' ', '-')}-2`;
    const first = await post(toPath(), key, body);
    await end(scene.owner, first.body.chainId ?? '');
    const changes = [
      { limits: { steps: 5 } },
      { dataClass: 'public' },
      { user: 'ben' },
      ...('context' in body ? [{ context: 'Another shop.' }, { context: undefined }] : [{ message: 'Be long.' }]),
    ];
    for (const change of changes) {
      const sent = await post(toPath(), key, { ...body, ...change });
      // Keys of another user are others.
      if ('user' in change) expect(sent.body).toMatchObject({ existed: false });
      else expect(sent).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    }
  });
});
