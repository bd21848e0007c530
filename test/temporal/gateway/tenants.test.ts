/**
 * Isolation, for each operation of the table: a credential that may not call it, and credentials that may but reach nothing of the
 * tenant. A new operation fails here until it has a sample. The short form has at least one case of each operation in each suite;
 * the long form has all of them.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import {
  type CallInput,
  type ClientOperationId,
  type HttpClient,
  HttpProblemError,
} from '../../../src/entries/http.js';
import type { Operation, Scope } from '../../../src/http/operation.js';
import { scopes } from '../../../src/http/operation.js';
import { operations } from '../../../src/http/operations.js';
import { isLong } from '../../support/budget.js';
import type { TestKey } from '../../support/gateway-keys.js';
import { canary, useGatewayScene } from '../../support/gateway-scene.js';

const scene = useGatewayScene({ limits: { failuresPerMinute: 100_000 } });

/** A call of each operation about what belongs to the tenant. */
type Samples = { readonly [id in ClientOperationId]: (place: Place) => CallInput<id> };

interface Place {
  /** A chain of the tenant, or an id that no chain has. */
  readonly chainId: string;
  readonly keyId: string;
}

const samples: Samples = {
  getGateway: () => ({}),
  getHealth: () => ({}),
  getReadiness: () => ({}),
  getMetrics: () => ({}),
  getOpenApi: () => ({}),
  startChain: () => ({ agent: 'clerk', task: 'Answer.', tenant: scene.tenant, user: 'ana' }),
  listChains: ({ chainId }) => ({ root: chainId, limit: 200 }),
  searchChains: () => ({ text: canary, limit: 200 }),
  getChain: ({ chainId }) => ({ chainId }),
  getResult: ({ chainId }) => ({ chainId }),
  followChain: ({ chainId }) => ({ chainId, tokens: true, children: true, interim: true }),
  followReasoning: ({ chainId }) => ({ chainId }),
  followUp: ({ chainId }) => ({ chainId, text: 'Repeat all that you know.' }),
  getThread: ({ chainId }) => ({ chainId }),
  forkChain: ({ chainId }) => ({ chainId, atStep: 1 }),
  listForks: ({ chainId }) => ({ chainId }),
  exportChain: ({ chainId }) => ({ chainId, format: 'json' }),
  getObservation: ({ chainId }) => ({ chainId, call: '1.1' }),
  getFile: ({ chainId }) => ({ chainId, name: 'memo.txt' }),
  listRequests: ({ chainId }) => ({ chainId }),
  decideRequest: ({ chainId }) => ({ chainId, call: '1.1', decision: 'approve' }),
  listInbox: ({ chainId }) => ({ root: chainId, limit: 200 }),
  steerChain: ({ chainId }) => ({ chainId, text: 'Send me everything.' }),
  pauseChain: ({ chainId }) => ({ chainId }),
  resumeChain: ({ chainId }) => ({ chainId }),
  raiseLimits: ({ chainId }) => ({ chainId, limits: { steps: 99 } }),
  signalChain: ({ chainId }) => ({ chainId, name: 'paid' }),
  cancelChain: ({ chainId }) => ({ chainId }),
  queryAudit: ({ chainId }) => ({ chainId, contents: true, limit: 200 }),
  getPreferences: () => ({ user: 'ana', tenant: scene.tenant }),
  putPreferences: () => ({ user: 'ana', tenant: scene.tenant, ...noPreferences }),
  createKey: () => ({ name: 'stolen', tenant: scene.tenant, user: 'ana', scopes: ['read'] }),
  listKeys: () => ({ tenant: scene.tenant, inactive: true, limit: 200 }),
  revokeKey: ({ keyId }) => ({ keyId }),
  createLink: ({ chainId }) => ({ chainId, call: '1.1' }),
  createWebhook: () => ({ url: 'https://rival.example/hook', events: ['chain-held'], tenant: scene.tenant }),
  listWebhooks: () => ({ tenant: scene.tenant }),
  deleteWebhook: () => ({ webhookId }),
  listBudgets: () => ({ tenant: scene.tenant }),
  putBudget: () => ({ tenant: scene.tenant, per: 'day', usd: 1_000 }),
  raiseBudget: () => ({ tenant: scene.tenant, per: 'day', usd: 1_000 }),
  deleteBudget: () => ({ tenant: scene.tenant, per: 'day' }),
  sendChatMessage: () => ({ ...chat, tenant: scene.tenant, user: 'ana', messages: [message] }),
  resumeChat: () => ({ ...chat, tenant: scene.tenant, user: 'ana' }),
  getChatMessages: () => ({ ...chat, tenant: scene.tenant, user: 'ana' }),
  runAgUi: () => ({
    ...{
      agent: 'clerk',
      threadId: chat.id,
      runId: 'run-1',
      messages: [{ id: 'm-2', role: 'user', content: 'Repeat.' }],
    },
    forwardedProps: { tenant: scene.tenant, user: 'ana' },
  }),
};

/** Calls that state no tenant and no user: none is rejected for its names, so only the credential limits them. */
const unnamedSamples: { readonly [id in ClientOperationId]?: (place: Place) => CallInput<id> } = {
  startChain: () => ({ agent: 'clerk', task: 'Answer.' }),
  searchChains: () => ({ limit: 200 }),
  listChains: () => ({ limit: 200 }),
  listInbox: () => ({ limit: 200 }),
  queryAudit: () => ({ contents: true, limit: 200 }),
  getPreferences: () => ({}),
  putPreferences: () => noPreferences,
  listKeys: () => ({ inactive: true, limit: 200 }),
  listWebhooks: () => ({}),
  sendChatMessage: () => ({ ...chat, messages: [{ ...message, parts: [{ type: 'text', text: 'Repeat all.' }] }] }),
  resumeChat: () => chat,
  getChatMessages: () => chat,
  runAgUi: () => ({
    agent: 'clerk',
    threadId: chat.id,
    runId: 'run-2',
    messages: [{ id: 'm-3', role: 'user', content: 'Repeat.' }],
  }),
};

const chat = { agent: 'clerk', id: 'chat-of-ana' };
const message = { id: 'm-1', role: 'user' as const, parts: [{ type: 'text', text: `Answer ${canary}.` }] };

const noPreferences = {
  ...{ progressSummary: false, thinking: false, externalCalls: false, internalCalls: false, finalReasoning: false },
};

const table = Object.entries<Operation>(operations) as readonly (readonly [ClientOperationId, Operation])[];
const guarded = table
  .filter(([, { scope }]) => scope !== null)
  .map(([id, { scope }], at) => [id, scope as Scope, at] as const);
const onChains = table.filter(([, { path }]) => path.includes('{chainId}')).map(([id], at) => [id, at] as const);
const unnamed = (
  Object.entries(unnamedSamples) as readonly (readonly [ClientOperationId, (place: Place) => unknown])[]
).map(([id, toInput], at) => [id, toInput, at] as const);

/** In the short form, one of them: in turn for one operation after another. */
function pickInTurn<T>(all: readonly T[], at: number): readonly T[] {
  return isLong ? all : all.slice(at % all.length, (at % all.length) + 1);
}

type Ended = { readonly error: HttpProblemError } | { readonly text: string };

/** Calls an operation; of a stream, reads the first event. */
async function call(
  client: HttpClient,
  id: ClientOperationId,
  place: Place,
  toInput: (place: Place) => unknown = samples[id],
): Promise<Ended> {
  const method = client[id] as (input: unknown) => unknown;
  try {
    const given = method(toInput(place));
    const value = isStream(given) ? (await given.next()).value : await given;
    return { text: value instanceof Response ? await value.text() : JSON.stringify(value) };
  } catch (error) {
    if (error instanceof HttpProblemError) return { error };
    throw error;
  }
}

function isStream(given: unknown): given is AsyncGenerator<unknown> {
  return typeof given === 'object' && given !== null && Symbol.asyncIterator in given;
}

/** What is the tenant's in a text that another one gets. */
function findSecrets(text: string): readonly string[] {
  return [canary, scene.ended, scene.waiting, '"owner"'].filter((secret) => text.includes(secret));
}

const missing = 'clerk-00000000000000000000000000000000';
let keyId = '';
let webhookId = '';
let before: unknown;

/** What no other credential may change. */
async function readState(): Promise<unknown> {
  const handle = scene.test.longhand.getHandle(scene.waiting);
  const ended = scene.test.longhand.getHandle(scene.ended);
  return {
    waiting: (await handle.read()).state.facts,
    ended: (await ended.read()).state.facts,
    forks: await scene.owner.listForks({ chainId: scene.ended }),
    thread: await scene.owner.getThread({ chainId: scene.ended }),
    preferences: await scene.owner.getPreferences({ user: 'ana' }),
    keys: (await scene.owner.listKeys({ limit: 200 })).items.map(({ id, name, revokedAt }) => [id, name, revokedAt]),
    webhooks: (await scene.owner.listWebhooks()).items.map(({ id, active }) => [id, active]),
    budgets: await scene.owner.listBudgets(),
    chat: await scene.owner.getChatMessages({ ...chat, user: 'ana' }),
    chains: (await scene.owner.listInbox({ limit: 200 })).items.map(({ chainId }) => chainId),
  };
}

beforeAll(async () => {
  keyId = (await scene.owner.createKey({ name: `${canary} key`, scopes: ['read'] })).id;
  const webhook = await scene.owner.createWebhook({ url: `https://${canary}.example/hook`, events: ['chain-held'] });
  webhookId = webhook.id;
  await scene.operator.putBudget({ tenant: scene.tenant, agent: canary, per: 'day', usd: 5 });
  const answer = await scene.owner.sendChatMessage({ ...chat, user: 'ana', messages: [message] });
  await answer.text();
  await scene.owner.putPreferences({ user: 'ana', ...noPreferences, thinking: true });
});

it('every operation has a sample', () => {
  // Tests of links prove that a token decides its request and no other.
  const pages = ['showLink', 'decideByLink'];
  expect([...Object.keys(samples), ...pages].sort()).toEqual(Object.keys(operations).sort());
});

describe('without a valid credential', () => {
  it.each(guarded)('%s is rejected', async (id, _, at) => {
    const place = { chainId: scene.ended, keyId };
    for (const key of pickInTurn([undefined, 'lh_0000000000_', 'x', scene.ownerKey.slice(0, -1)], at)) {
      const ended = await call(scene.connect(key), id, place);
      expect(ended).toMatchObject({ error: { code: 'unauthenticated', status: 401 } });
    }
  });
});

describe('without its scope', () => {
  const keys = new Map<Scope, Promise<string>>();
  const createKeyWithout = (scope: Scope) => {
    const views = scope === 'audit' ? ['developer', 'end_user'] : undefined;
    const others = scopes.filter((other) => other !== scope);
    const key = keys.get(scope) ?? scene.createKey({ scopes: others, ...(views === undefined ? {} : { views }) });
    keys.set(scope, key);
    return key;
  };

  it.each(guarded)('%s is rejected, regardless of the chain', async (id, scope, at) => {
    const key = await createKeyWithout(scope);
    for (const chainId of pickInTurn([scene.ended, missing], at)) {
      const ended = await call(scene.connect(key), id, { chainId, keyId });
      expect(ended).toMatchObject({ error: { code: 'scope_missing', status: 403 } });
    }
  });
});

const others: readonly (readonly [string, () => Partial<TestKey>])[] = [
  ['another tenant', () => ({ tenant: 'rival' })],
  ['another user of the tenant', () => ({ user: 'ben', reach: 'own' })],
  ['a user of another tenant with the same name', () => ({ tenant: 'rival', user: 'ana', reach: 'own' })],
  ['a tenant whose name begins with the name', () => ({ tenant: `${scene.tenant}2` })],
  ['a tenant with the name in other letters', () => ({ tenant: scene.tenant.toUpperCase() })],
];

describe.each(others.map(([name, toIdentity], place) => [name, toIdentity, place] as const))(
  'a credential of %s',
  (_, toIdentity, place) => {
    /** In the short form the first two credentials, of a tenant and of a user, have all operations, and the rest share them. */
    const ofThis = <T>(all: readonly T[]) => (isLong || place < 2 ? all : all.filter((_, at) => at % 3 === place - 2));
    let client: HttpClient;
    beforeAll(async () => {
      client = scene.connect(await scene.createKey({ name: 'other', roles: [], ...toIdentity() }));
      before = await readState();
    });

    it.each(ofThis(onChains))(
      'gets the same answer of %s for a chain out of reach and for one that does not exist',
      async (id, at) => {
        for (const chainId of [...pickInTurn([scene.ended, scene.waiting], at), missing]) {
          const ended = await call(client, id, { chainId, keyId });
          expect(ended).toMatchObject({ error: { code: 'chain_not_found', status: 404 } });
          if ('error' in ended) expect(ended.error.problem).toEqual(absent);
        }
      },
    );

    it.each(ofThis(guarded))('gets nothing of the tenant by %s', async (id) => {
      const ended = await call(client, id, { chainId: scene.ended, keyId });
      if ('error' in ended) {
        expect(ended.error.status).toBeGreaterThanOrEqual(400);
        expect(ended.error.status).toBeLessThan(500);
      }
      const text = 'error' in ended ? JSON.stringify(ended.error.problem) : ended.text;
      expect(findSecrets(text)).toEqual([]);
    });

    it.each(ofThis(unnamed))('gets nothing of the tenant by %s without its name', async (id, toInput) => {
      const ended = await call(client, id, { chainId: scene.ended, keyId }, toInput);
      const text = 'error' in ended ? JSON.stringify(ended.error.problem) : ended.text;
      if ('error' in ended) expect(ended.error.code).not.toBe('internal');
      expect(findSecrets(text)).toEqual([]);
    });

    it('gets nothing of the tenant by a filter that names it', async () => {
      const rows: unknown[] = [];
      const filters = [
        { tenant: scene.tenant },
        { tenant: 'rival' },
        { thread: scene.ended },
        { root: scene.ended },
        {},
      ];
      for (const filter of filters) {
        for (const list of [client.listChains, client.searchChains, client.queryAudit] as readonly ((
          input: object,
        ) => Promise<unknown>)[]) {
          const answer = await list({ ...filter, limit: 200 }).catch((error: unknown) => error);
          rows.push(answer instanceof HttpProblemError ? answer.problem : answer);
        }
      }
      expect(findSecrets(JSON.stringify(rows))).toEqual([]);
    });

    it('has changed nothing', async () => {
      expect(await readState()).toEqual(before);
    });
  },
);

const absent = {
  type: 'urn:longhand:chain_not_found',
  title: expect.any(String),
  status: 404,
  code: 'chain_not_found',
};
