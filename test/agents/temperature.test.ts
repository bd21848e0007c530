/** The temperature of an agent, from its definition to the request of each provider. */

import { expect, it } from 'vitest';
import { createSnapshot } from '../../src/agents/snapshot.js';
import type { ModelSnapshot } from '../../src/core/model/agent.js';
import type { ModelProvider } from '../../src/entries/models.js';
import { type AgentDefinition, defineAgent } from '../../src/index.js';
import { loadCatalogue } from '../../src/models/catalogue/catalogue.js';
import { createModels } from '../../src/models/models.js';
import { toChatBody } from '../../src/models/openai/request.js';
import { describeChatServer } from '../../src/models/openai/server.js';
import { request } from '../models/call.js';

const unused: ModelProvider = { name: 'unused', call: () => Promise.reject(new Error('Unexpected call.')) };

function takeSnapshot(model: string, options: Partial<AgentDefinition> = {}): ModelSnapshot {
  const agent = defineAgent({ ...options, name: 'clerk', model });
  return createSnapshot(
    agent,
    { model: null, limits: {} },
    {
      models: createModels({ providers: [unused], catalogue: loadCatalogue() }),
      defaultModel: null,
      modelRetry: {},
      onProviderError: 'hold',
      localCalls: true,
    },
  ).model;
}

it.each([0, 0.3])('an agent with the temperature %d sends it with each request', (temperature) => {
  const model = takeSnapshot('gpt-4.1', { temperature });
  expect(model.temperature).toBe(temperature);
  const body = toChatBody({ request, model, maxTokens: 10 }, describeChatServer('host'));
  expect(body).toMatchObject({ temperature });
});

it('an agent that sets none has the temperature 0, where the catalogue lists that the model takes one', () => {
  const model = takeSnapshot('gpt-4.1');
  expect(model.temperature).toBe(0);
  expect(toChatBody({ request, model, maxTokens: 10 }, describeChatServer('host'))).toMatchObject({ temperature: 0 });
  expect(takeSnapshot('claude-haiku-4-5').temperature).toBe(0);
});

it.each<readonly [string, string, Partial<AgentDefinition>]>([
  ['takes none', 'claude-sonnet-5-5', {}],
  ['thinks by itself', 'gemini/gemini-2.5-pro', {}],
  ['is unknown', 'unlisted', {}],
  ['thinks for this agent', 'claude-haiku-4-5', { thinking: { type: 'enabled', budget_tokens: 2_000 } }],
  ['has an effort', 'claude-opus-4-5', { effort: 'high' }],
])('no temperature is sent to a model that %s', (_, name, options) => {
  expect(takeSnapshot(name, options).temperature).toBeNull();
});

it('an agent with the temperature null sends none', () => {
  const model = takeSnapshot('gpt-4.1', { temperature: null });
  expect(model.temperature).toBeNull();
  expect(toChatBody({ request, model, maxTokens: 10 }, describeChatServer('host'))).not.toHaveProperty('temperature');
});

it('a temperature is rejected for a model that takes none', () => {
  expect(() => takeSnapshot('claude-sonnet-5-5', { temperature: 0 })).toThrow(
    'which claude-sonnet-5-5 does not support',
  );
});
