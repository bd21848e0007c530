/** A provider that breaks its contract: each call ends with the member that is wrong, and other code never reads the result. */

import { describe, expect, it, vi } from 'vitest';
import { balancedProvider, type ModelCallOptions, type ModelProvider } from '../../../src/entries/models.js';
import { loadCatalogue } from '../../../src/models/catalogue/catalogue.js';
import { createModels } from '../../../src/models/models.js';
import { addCircuits, toCircuitRules } from '../../../src/worker/circuits.js';
import { agentOf, modelFailure, rawReply, text } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { matchError } from '../../support/match-error.js';

const call = {
  request: { system: '', messages: [], tools: [], toolChoice: 'auto', stopSequences: [] },
  model: agentOf().model,
  maxTokens: 100,
} as const;

/** Calls a provider as a worker does, which also has circuits. */
function callProvider(provider: ModelProvider, options: Partial<ModelCallOptions> = {}) {
  const models = createModels({ providers: [provider], catalogue: loadCatalogue() });
  const guarded = addCircuits(models, toCircuitRules());
  return guarded.findProvider(provider.name)!.call(call, { signal: new AbortController().signal, ...options });
}

const returning = (result: unknown): ModelProvider => ({ name: 'mock', call: (async () => result) as never });
const reply = rawReply([text('Yes.')]);
const failure = modelFailure('overloaded');
const replying = (changes: object) => ({ ok: true, reply: { ...reply, ...changes } });
const failing = (changes: object) => ({ ok: false, failure: { ...failure, ...changes } });
const use = { type: 'tool_use', id: 'a', name: 'look', input: {} };
const circular: Record<string, unknown> = {};
circular.self = circular;

const wrong: readonly (readonly [unknown, string | RegExp])[] = [
  [undefined, 'expected { ok, … }; it is undefined'],
  ['Yes.', 'expected { ok, … }; it is a text'],
  [(async function* () {})(), /^expected \{ ok, … \}; it is a generator.*Use an async function, and `onText`/],
  [reply, 'ok must be true or false; it is undefined'],
  [{ ok: true }, 'reply must be an object; it is undefined'],
  [{ ok: true, reply: 'Yes.' }, 'reply must be an object; it is a text'],
  [replying({ model: undefined }), 'reply.model must be a text; it is undefined'],
  [replying({ content: 'Yes.' }), 'reply.content must be a list of blocks; it is a text'],
  [replying({ content: ['Yes.'] }), 'reply.content.0 must be an object; it is a text'],
  [replying({ content: [text('Yes.'), null] }), 'reply.content.1 must be an object; it is null'],
  [replying({ content: [{ type: 'text' }] }), 'reply.content.0.text must be a text; it is undefined'],
  [
    replying({ content: [{ type: 'image' }] }),
    'reply.content.0.type must be text, thinking, redacted_thinking or tool_use; it is "image"',
  ],
  [replying({ content: [{ type: 'constructor' }] }), /^reply\.content\.0\.type must be .*; it is "constructor"$/],
  [replying({ content: [{ ...use, id: undefined }] }), 'reply.content.0.id must be a text; it is undefined'],
  [replying({ content: [{ ...use, name: 7 }] }), 'reply.content.0.name must be a text; it is 7'],
  [replying({ content: [{ ...use, input: undefined }] }), 'reply.content.0.input must be JSON; it is undefined'],
  [replying({ content: [{ ...use, input: circular }] }), /^reply\.content\.0\.input must be JSON: .*circular/],
  [replying({ content: [{ ...use, input: { n: 1n } }] }), /^reply\.content\.0\.input must be JSON: .*BigInt/],
  [replying({ stopReason: 'stop' }), /^reply\.stopReason must be end_turn, .*; it is "stop"$/],
  [replying({ usage: undefined }), 'reply.usage must be an object; it is undefined'],
  [replying({ usage: { input_tokens: 3 } }), 'reply.usage.input must be a number; it is undefined'],
  [replying({ usage: { ...reply.usage, thinking: '3' } }), 'reply.usage.thinking must be a number; it is a text'],
  [{ ok: false }, 'failure must be an object; it is undefined'],
  [{ ok: false, failure: new Error('x') }, /^failure\.kind must be a kind of ModelFailure/],
  [failing({ kind: 'broken' }), 'failure.kind must be a kind of ModelFailure; it is a text'],
  [failing({ message: undefined }), 'failure.message must be a text; it is undefined'],
  [failing({ status: '500' }), 'failure.status must be a number; it is a text'],
  [failing({ settle: 'free' }), 'failure.settle must be nothing, usage or reservation; it is "free"'],
  [failing({ usage: {} }), 'failure.usage.input must be a number; it is undefined'],
];

describe('a provider', () => {
  it.each(wrong)(
    'that returns %o is reported with the member that is wrong, and costs nothing',
    async (result, problem) => {
      const called = await callProvider(returning(result));
      expect(called).toMatchObject({
        ok: false,
        failure: { kind: 'invalid_provider', settle: 'nothing', usage: null },
      });
      const prefix = 'the provider mock returned an invalid result: ';
      const { message } = (called as Extract<typeof called, { ok: false }>).failure;
      expect(message.slice(0, prefix.length)).toBe(prefix);
      expect(message.slice(prefix.length)).toMatch(
        typeof problem === 'string' ? new RegExp(`^${escapePattern(problem)}$`) : problem,
      );
    },
  );

  it('that is right is not changed, nor is its result', async () => {
    for (const result of [{ ok: true, reply }, failing({}), replying({ usage: null, content: [use] })])
      expect(await callProvider(returning(result))).toBe(result);
    // Not plausible: what the call is charged is decided elsewhere.
    const negative = replying({ usage: { ...reply.usage, input: -1 } });
    expect(await callProvider(returning(negative))).toBe(negative);
  });

  it('that throws is reported, and charged in full, because a request may have been sent', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const broken = { name: 'mock', call: () => (undefined as never as { x: string }).x as never };
    const charge = { settle: 'reservation', usage: null };
    expect(await callProvider(broken)).toMatchObject({
      failure: {
        ...charge,
        kind: 'invalid_provider',
        message: expect.stringMatching(/^`call` of the provider mock threw: Cannot read/),
      },
    });
    expect(JSON.stringify(log.mock.calls)).toMatch(/mock threw:.*checked-provider\.test\.ts/);
    const aborted = { name: 'mock', call: () => Promise.reject(new Error('Aborted.')) };
    expect(await callProvider(aborted, { signal: AbortSignal.abort() })).toMatchObject({
      failure: { ...charge, kind: 'cancelled' },
    });
  });

  it('that streams something else than texts is reported, and the texts are passed on', async () => {
    const pieces: string[] = [];
    const streaming: ModelProvider = {
      name: 'mock',
      call: async (_, { onText }) => {
        for (const piece of ['a', undefined, 'b']) onText?.(piece as string);
        return { ok: true, reply };
      },
    };
    const called = await callProvider(streaming, { onText: (piece) => void pieces.push(piece) });
    expect(called).toMatchObject({
      failure: { message: expect.stringContaining('onText must be called with a text; it is undefined') },
    });
    expect(pieces).toEqual(['a', 'b']);
  });

  it('that balances over endpoints has each of them checked', async () => {
    const endpoints = [{ provider: { ...returning(undefined), name: 'east' } }];
    expect(await callProvider(balancedProvider({ name: 'both', endpoints }))).toMatchObject({
      failure: { kind: 'invalid_provider', message: expect.stringContaining('the provider east returned') },
    });
  });

  it('may be of a class: its members need not be its own', async () => {
    class Mock implements ModelProvider {
      readonly #answer = { ok: true, reply } as const;
      get name() {
        return 'mock';
      }
      async countTokens() {
        return this.#answer.reply.content.length;
      }
      async call() {
        return this.#answer;
      }
    }
    const provider = createModels({ providers: [new Mock()], catalogue: loadCatalogue() }).findProvider('mock');
    const options = { signal: new AbortController().signal };
    expect(await provider?.countTokens?.(call, options)).toBe(1);
    expect(await callProvider(new Mock())).toMatchObject({ ok: true });
  });

  it.each([
    [undefined, /Invalid provider undefined/],
    [{ name: 'mock' }, /The provider mock has no function `call`/],
  ])('that is %o is rejected when the worker starts', (provider, problem) => {
    const create = () => createModels({ providers: [provider as never], catalogue: loadCatalogue() });
    expect(create).toThrow(matchError('invalid_options', problem));
  });
});

it('a chain whose provider is wrong ends without retries and without cost, and its reason names the fix', () => {
  const play = prepared();
  const message = 'the provider mock returned an invalid result: reply must be an object; it is undefined';
  play.failed(modelFailure('invalid_provider', { message, settle: 'nothing' }));
  expect(play.result).toMatchObject({
    outcome: 'failure',
    reason: expect.stringMatching(/reply must be an object; it is undefined\. Correct the code of this provider/),
  });
  expect(play.state.charged).toMatchObject({ tokens: 0, usd: 0 });
});

function escapePattern(value: string): string {
  return value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
