/** A provider over equal endpoints, each over its real wire. */

import { expect, it, onTestFinished, vi } from 'vitest';
import { balancedProvider, type ModelProvider, openaiProvider } from '../../../src/entries/models.js';
import { anthropicProvider } from '../../../src/models/anthropic/provider.js';
import { admitCalls } from '../../../src/models/endpoints/admitted-provider.js';
import { breakCircuits, Circuits } from '../../../src/models/endpoints/circuit-breaker.js';
import { modelFailure } from '../../support/core-builders.js';
import type { Script } from '../../support/model-server.js';
import { callProvider, request, serveChat, snapshot, toFailure, toReply } from '../call.js';

const overloaded = { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } };

async function startEndpoint(name: string, script: Script) {
  const server = await serveChat(script);
  return { server, provider: openaiProvider({ name, baseURL: server.url, apiKey: 'test' }) };
}

/** Makes the calls of one conversation one after the other. Returns where each was answered, or the failure's message. */
async function callInTurn(provider: ModelProvider, count: number, conversation = 'chain-1') {
  const answered: string[] = [];
  for (let call = 0; call < count; call += 1) {
    const result = await callProvider(provider, { options: { conversation } });
    answered.push(result.ok ? (result.reply.endpoint ?? 'none') : result.failure.message);
  }
  return answered;
}

/** Two endpoints; `first` is the one that the conversation `chain-1` uses. */
async function startTwo(first: Script, second: Script) {
  const probe = balancedProvider({
    name: 'probe',
    endpoints: ['east', 'west'].map((name) => ({ provider: { name, call: async () => answer } })),
  });
  const [preferred = ''] = await callInTurn(probe, 1);
  const scripts = preferred === 'east' ? [first, second] : [second, first];
  const east = await startEndpoint('east', scripts[0] ?? []);
  const west = await startEndpoint('west', scripts[1] ?? []);
  const provider = balancedProvider({ name: 'azure', endpoints: [east, west] });
  const [mine, other] = preferred === 'east' ? [east, west] : [west, east];
  return { provider, mine, other, names: { mine: mine.provider.name, other: other.provider.name } };
}

const answer = {
  ok: true,
  reply: { model: 'm', stopReason: 'end_turn', content: [{ type: 'text', text: 'Yes.' }], usage: null },
} as const;

it('a conversation stays at its endpoint', async () => {
  const { provider, names } = await startTwo([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }], []);
  expect(await callInTurn(provider, 3)).toEqual([names.mine, names.mine, names.mine]);
});

it('a call that an endpoint rejects goes to the other at once, and the endpoint rests', async () => {
  const { provider, mine, other, names } = await startTwo(
    [overloaded],
    [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
  );
  expect(await callInTurn(provider, 3)).toEqual([names.other, names.other, names.other]);
  expect([mine.server.requests.length, other.server.requests.length]).toEqual([1, 3]);
});

it('a stream that breaks off is the failed attempt, and the next attempt goes to the other endpoint', async () => {
  const { provider, other, names } = await startTwo([{ text: 'Half of it.', cutAfter: 2 }], [{ text: 'All of it.' }]);
  const failed = toFailure(await callProvider(provider, { options: { conversation: 'chain-1' } }));
  expect(failed).toMatchObject({ kind: 'cut', message: expect.stringContaining(`${names.mine}: `) });
  expect(failed.settle).not.toBe('nothing');
  expect(other.server.requests).toHaveLength(0);
  expect(await callInTurn(provider, 1)).toEqual([names.other]);
});

it('a request that no endpoint would take is sent once', async () => {
  const rejected = { status: 400, error: { type: 'invalid_request_error', message: 'temperature is not supported' } };
  const { provider, other } = await startTwo([rejected], []);
  expect(toFailure(await callProvider(provider, { options: { conversation: 'chain-1' } })).kind).toBe('bad_request');
  expect(other.server.requests).toHaveLength(0);
});

it('where all endpoints fail, the failure names each, and the one that passes by itself decides', async () => {
  const rejected = { status: 401 };
  const { provider, names } = await startTwo([overloaded], [rejected]);
  const failure = toFailure(await callProvider(provider, { options: { conversation: 'chain-1' } }));
  expect(failure).toMatchObject({ kind: 'overloaded', settle: 'nothing' });
  for (const name of Object.values(names)) expect(failure.message).toContain(`${name}: `);
});

it('each endpoint has its own circuit, and the call goes where none is open', async () => {
  const { provider, mine, names } = await startTwo([overloaded], [{ text: 'One.' }]);
  const rules = { failures: 1, pauseMs: 60_000, longestPauseMs: 60_000 };
  const circuits = new Circuits(rules);
  const broken = provider.mapEndpoints?.((endpoint) => breakCircuits(endpoint, circuits)) ?? provider;
  expect(await callInTurn(broken, 1)).toEqual([names.other]);
  expect(circuits.admit(`${names.mine}/claude-sonnet-5-5`)).toBeGreaterThan(0);
  expect(circuits.admit(`${names.other}/claude-sonnet-5-5`)).toBe(0);
  expect(mine.server.requests).toHaveLength(1);
});

it('all endpoints together have the time of one call', async () => {
  const given: number[] = [];
  const create = (name: string): ModelProvider => ({
    name,
    call: async ({ model }) => {
      given.push(model.timeoutMs);
      await new Promise((resolve) => setTimeout(resolve, 60));
      const failure = { kind: 'server_error', message: 'Later', status: 503, retryAfterMs: null } as const;
      return { ok: false, failure: { ...failure, settle: 'nothing', usage: null } };
    },
  });
  const endpoints = ['a', 'b', 'c', 'd'].map((name) => ({ provider: create(name) }));
  const provider = balancedProvider({ name: 'azure', endpoints });
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const called = callProvider(provider, { model: { timeoutMs: 100 } });
  await vi.runAllTimersAsync();
  expect(toFailure(await called).kind).toBe('server_error');
  expect(given).toEqual([100, 40]);
});

it('a balanced provider may be an endpoint: the inner endpoints are replaced, not the whole', () => {
  const names: string[] = [];
  const inner = balancedProvider({ name: 'inner', endpoints: [{ provider: { name: 'a', call: async () => answer } }] });
  balancedProvider({ name: 'outer', endpoints: [{ provider: inner }] }).mapEndpoints?.((endpoint) => {
    names.push(endpoint.name);
    return endpoint;
  });
  expect(names).toEqual(['a']);
});

it('tokens are counted where all endpoints can count them', async () => {
  const counting = { name: 'a', call: async () => answer, countTokens: async () => 7 };
  const other = { name: 'b', call: async () => answer };
  const both = balancedProvider({
    name: 'x',
    endpoints: [{ provider: counting }, { provider: { ...counting, name: 'b' } }],
  });
  const { signal } = new AbortController();
  expect(await both.countTokens?.({ request, model: snapshot, maxTokens: 1 }, { signal })).toBe(7);
  expect(
    balancedProvider({ name: 'x', endpoints: [{ provider: counting }, { provider: other }] }).countTokens,
  ).toBeUndefined();
});

it('calls without a conversation go to all endpoints by weight', async () => {
  const counts = new Map<string, number>();
  const endpoints = [
    { provider: { name: 'east', call: async () => answer }, weight: 3 },
    { provider: { name: 'west', call: async () => answer } },
  ];
  const provider = balancedProvider({ name: 'azure', endpoints });
  for (let call = 0; call < 400; call += 1) {
    const { endpoint = '' } = toReply(await callProvider(provider));
    counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
  }
  expect((counts.get('east') ?? 0) / 400).toBeCloseTo(0.75, 1);
});

it.each([
  ['no endpoints', [], '`endpoints` is empty'],
  ['two of one name', ['east', 'east'], 'two endpoints are named east'],
])('%s are an error', (_, names, problem) => {
  const endpoints = names.map((name) => ({
    provider: openaiProvider({ name, baseURL: 'http://127.0.0.1:1', apiKey: 'k' }),
  }));
  expect(() => balancedProvider({ name: 'azure', endpoints })).toThrow(problem);
});

it('endpoints of different APIs, and invalid weights, are errors', () => {
  const east = openaiProvider({ name: 'east', baseURL: 'http://127.0.0.1:1', apiKey: 'k' });
  const west = anthropicProvider({ name: 'west', baseURL: 'http://127.0.0.1:1', apiKey: 'k' });
  expect(() => balancedProvider({ name: 'mixed', endpoints: [{ provider: east }, { provider: west }] })).toThrow(
    'east and west take different requests',
  );
  expect(() => balancedProvider({ name: 'azure', endpoints: [{ provider: east, weight: 0 }] })).toThrow('weight 0');
});

it('a call over the rate of an endpoint goes to another one at once, and only the last one queues it; a budget rejects it once', async () => {
  const asked: string[] = [];
  let kind: 'throttled' | 'budget' = 'throttled';
  const provider = balancedProvider({
    name: 'azure',
    endpoints: ['east', 'west', 'north'].map((name) => ({ provider: { name, call: async () => answer } })),
  });
  const gated = provider.mapEndpoints?.((endpoint) =>
    admitCalls(endpoint, {
      admit: async ({ endpoint: name, patience }) => {
        asked.push(`${name === 'north' ? 'north' : 'other'} ${patience}`);
        return name === 'north' ? null : modelFailure(kind, { retryAfterMs: 5_000 });
      },
      settle: async () => {},
    }),
  );
  const reserved = { inputTokens: 1_000, outputTokens: 500, usd: 0.01 };
  const callAs = (conversation: string) => {
    const spent = { id: '1', ticket: '1', reserved, patience: 'queue' } as const;
    return callProvider(gated as ModelProvider, { options: { conversation, spent } });
  };
  for (const conversation of ['1', '2', '3', '4', '5', '6', '7', '8']) {
    asked.length = 0;
    expect(toReply(await callAs(conversation)).endpoint).toBe('north');
    expect(asked.slice(0, -1).every((each) => each === 'other none')).toBe(true);
    expect(asked.at(-1)).toBe(asked.length === 3 ? 'north queue' : 'north none');
  }
  kind = 'budget';
  const counts = new Set<number>();
  for (const conversation of ['1', '2', '3', '4', '5', '6', '7', '8']) {
    asked.length = 0;
    await callAs(conversation);
    counts.add(asked.length);
  }
  expect([...counts]).toEqual([1]);
});
