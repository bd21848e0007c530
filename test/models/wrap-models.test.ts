/** Hooks before and after the calls of models. */

import { expect, it, vi } from 'vitest';
import {
  type HookedModelCall,
  type ModelCall,
  type ModelHooks,
  type ModelProvider,
  wrapModels,
} from '../../src/entries/models.js';
import { createCatalogue } from '../../src/models/catalogue/catalogue.js';
import { balancedProvider } from '../../src/models/endpoints/balanced-provider.js';
import { breakCircuits, Circuits } from '../../src/models/endpoints/circuit-breaker.js';
import { createModels, mapEndpoints } from '../../src/models/models.js';
import { callProvider, request, toFailure, toReply } from './call.js';

const answer = {
  ok: true,
  reply: { model: 'm', stopReason: 'end_turn', content: [{ type: 'text', text: 'Yes.' }], usage: null },
} as const;

/** A provider that records its calls, with hooks. */
function wrap(hooks: ModelHooks, more: Partial<ModelProvider> = {}) {
  const calls: ModelCall[] = [];
  const call = async (made: ModelCall) => {
    calls.push(made);
    return answer;
  };
  const [provider] = wrapModels([{ name: 'fake', call, ...more }], hooks);
  if (provider === undefined) throw new Error('Expected a provider');
  return { provider, calls };
}

const caller = { agent: 'clerk', chainId: 'chain-1', tenant: 'acme' };

it('hooks before and after a call of a model see agent, chain, tenant, model, request and result', async () => {
  const seen: unknown[] = [];
  const describeCall = ({ signal: _, model, ...call }: HookedModelCall) => ({ ...call, model: model.id });
  const { provider } = wrap({
    before: (call) => void seen.push(describeCall(call)),
    after: (call, result) => void seen.push(describeCall(call), result),
  });
  expect(toReply(await callProvider(provider, { options: { caller }, maxTokens: 900 })).content).toEqual(
    answer.reply.content,
  );
  const expected = { provider: 'fake', model: 'claude-sonnet-5-5', request, maxTokens: 900, caller };
  await vi.waitFor(() => expect(seen).toEqual([expected, expected, answer]));
});

it.each([
  ['refuses', () => ({ refuse: 'The request has an account number.' }), 'The request has an account number'],
  ['throws', () => Promise.reject(new Error('The service of rules is down.')), 'The service of rules is down'],
  [
    'throws at once',
    () => {
      throw new Error('No.');
    },
    'No',
  ],
  [
    'returns something else',
    () => false,
    "`before` returned an invalid value. Return nothing, or { refuse: 'reason' }",
  ],
  ['does not end', () => new Promise(() => {}), '`before` did not end within the time of the call'],
])('a call whose hook %s is not made and free', async (_, before, reason) => {
  const { provider, calls } = wrap({ before, after: () => expect.unreachable() });
  const failure = toFailure(await callProvider(provider, { model: { timeoutMs: 50 } }));
  expect(failure).toMatchObject({ kind: 'not_allowed', settle: 'nothing', usage: null });
  expect(failure.message).toBe(`claude-sonnet-5-5 is rejected by a hook: ${reason}`);
  expect(calls).toEqual([]);
});

it('a call that is cancelled while its hook runs is not made', async () => {
  const cancel = new AbortController();
  const { provider, calls } = wrap({ before: () => cancel.abort() });
  const failure = toFailure(await callProvider(provider, { options: { signal: cancel.signal } }));
  expect([failure.kind, failure.settle, calls.length]).toEqual(['cancelled', 'nothing', 0]);
});

it('what a hook changes does not reach the provider, and what it changes in a result does not reach the chain', async () => {
  const change = ({ request: copy }: HookedModelCall) => {
    Object.assign(copy, { system: 'changed' });
    Object.assign(copy.messages[0]?.content[0] ?? {}, { text: 'changed' });
  };
  const { provider, calls } = wrap({
    before: change,
    after: (call, result) => {
      change(call);
      Object.assign(result, { ok: false });
    },
  });
  expect(await callProvider(provider)).toEqual(answer);
  expect(calls.map((call) => call.request)).toEqual([request]);
});

it('an error of the hook after a call is logged, and a hook that does not end delays no reply', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { provider } = wrap({ after: async () => Promise.reject(new Error('The meter is down.')) });
  expect(await callProvider(provider)).toEqual(answer);
  await vi.waitFor(() =>
    expect(log.mock.calls.flat().join(' ')).toContain('`after` of a call of claude-sonnet-5-5 threw'),
  );
  log.mockRestore();
  expect(await callProvider(wrap({ after: () => new Promise(() => {}) }).provider)).toEqual(answer);
});

it('the hook is around all endpoints: it runs once for a call, and a refusal opens no circuit', async () => {
  let runs = 0;
  const down = {
    ok: false,
    failure: { kind: 'overloaded', message: 'Down', status: 529, retryAfterMs: null, settle: 'nothing', usage: null },
  } as const;
  const endpoints = [down, answer].map((result, at) => ({ provider: { name: `e${at}`, call: async () => result } }));
  const balanced = balancedProvider({ name: 'azure', endpoints });
  const [provider] = wrapModels([balanced], {
    before: vi.fn(() => {
      runs++;
    }),
  });
  expect(toReply(await callProvider(provider as ModelProvider)).endpoint).toBe('e1');
  expect(runs).toBe(1);
  const { provider: refusing } = wrap({ before: () => ({ refuse: 'No.' }) });
  const models = createModels({ providers: [refusing], catalogue: createCatalogue({}) });
  const circuits = new Circuits({ failures: 1, pauseMs: 60_000, longestPauseMs: 60_000 });
  const guarded = mapEndpoints(models, (endpoint) => breakCircuits(endpoint, circuits)).findProvider('fake');
  for (const _ of [1, 2, 3]) expect(toFailure(await callProvider(guarded as ModelProvider)).kind).toBe('not_allowed');
});

it('a provider with a hook before its calls does not send a request to count its tokens', () => {
  const countTokens = async () => 12;
  expect(wrap({ before: () => undefined }, { countTokens }).provider.countTokens).toBeUndefined();
  expect(wrap({ after: () => undefined }, { countTokens }).provider.countTokens).toBeDefined();
});

it('hooks of a wrong type are rejected', () => {
  expect(() => wrap({ before: 3 } as never)).toThrow(/wrapModels/);
});
