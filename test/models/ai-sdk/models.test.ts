/** The model objects that `aiSdkProvider` takes. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createAnthropic as createAnthropic7 } from 'ai-sdk-anthropic-4';
import { expect, it } from 'vitest';
import { type AiSdkModel, type AiSdkModels, aiSdkProvider } from '../../../src/entries/models.js';
import { callProvider, toReply } from '../call.js';
import { createPartsModel, finish, type PartsModel, textParts } from './call.js';

it('takes the model objects of real packages of both versions, without a cast', () => {
  const models: AiSdkModels = {
    sonnet: createAnthropic({ apiKey: 'k' })('claude-sonnet-5-5'),
    haiku: createAnthropic7({ apiKey: 'k' })('claude-haiku-5-5'),
    local: createOpenAICompatible({ name: 'ollama', baseURL: 'http://127.0.0.1:1/v1' })('qwen'),
  };
  expect(Object.values(models).map(({ specificationVersion }) => specificationVersion)).toEqual(['v3', 'v4', 'v3']);
  expect(aiSdkProvider(models)).toMatchObject({ name: 'ai-sdk', models: Object.keys(models) });
});

it.each([
  [
    'v2',
    /"old": its specification version is v2 \(AI SDK 5\)\. Supported are v3 .* and v4 .* Update its provider package/,
  ],
  ['v9', /"old": its specification version is v9\. Supported are v3 .* Update longhand/],
])('rejects a model of the specification version %s, with the fix', (specificationVersion, message) => {
  const old = { ...createPartsModel([]), specificationVersion } as unknown as AiSdkModel;
  expect(() => aiSdkProvider({ old })).toThrow(
    expect.objectContaining({ code: 'invalid_options', message: expect.stringMatching(message) }),
  );
});

it.each([
  ['a text', { fast: 'openai/gpt-5' }, /"fast": it is the text "openai\/gpt-5"/],
  [
    'an embedding model',
    { fast: { specificationVersion: 'v3', doEmbed: () => {} } },
    /"fast": expected a language model/,
  ],
  ['nothing', { fast: undefined }, /"fast": expected a language model/],
  ['no model', {}, /at least one model/],
  ['a list', [createPartsModel([])], /at least one model/],
])('rejects %s instead of a model', (_what, models, message) => {
  expect(() => aiSdkProvider(models as unknown as AiSdkModels)).toThrow(message);
});

it('masks the given keys in the errors of a model', async () => {
  const key = 'sk-some-long-key-of-a-model';
  const thrown = (): never => {
    throw new Error(`the key ${key} is wrong`);
  };
  const provider = aiSdkProvider({ m: { ...createPartsModel([]), doStream: thrown } }, { apiKeys: [key] });
  const result = await callProvider(provider, { model: { name: 'm' } });
  expect(JSON.stringify(result)).not.toContain(key);
});

it('calls the model that an agent names, also of several providers in one worker', async () => {
  const [fast, local] = ['some.chat', 'local.chat'].map((provider) =>
    createPartsModel([...textParts(`from ${provider}`), finish], { provider }),
  ) as [PartsModel, PartsModel];
  const provider = aiSdkProvider({ fast, local });
  for (const [name, text] of [
    ['local', 'from local.chat'],
    ['fast', 'from some.chat'],
  ] as const) {
    const result = await callProvider(provider, { model: { name } });
    expect(toReply(result).content).toEqual([{ type: 'text', text }]);
  }
  expect([fast.calls, local.calls].map(({ length }) => length)).toEqual([1, 1]);
});
