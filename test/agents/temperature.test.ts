/** The temperature of an agent, from its definition to the request of each provider. */

import { expect, it } from 'vitest';
import { createSnapshot } from '../../src/agents/snapshot.js';
import type { ModelSnapshot } from '../../src/core/model/agent.js';
import type { ModelProvider } from '../../src/entries/models.js';
import { defineAgent } from '../../src/index.js';
import { loadCatalogue } from '../../src/models/catalogue/catalogue.js';
import { createModels } from '../../src/models/models.js';
import { toChatBody } from '../../src/models/openai/request.js';
import { describeChatServer } from '../../src/models/openai/server.js';
import { request } from '../models/call.js';

const unused: ModelProvider = { name: 'unused', call: () => Promise.reject(new Error('Unexpected call.')) };

function takeSnapshot(model: string, temperature?: number): ModelSnapshot {
  const agent = defineAgent({ name: 'clerk', model, ...(temperature === undefined ? {} : { temperature }) });
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
  const model = takeSnapshot('gpt-4.1', temperature);
  expect(model.temperature).toBe(temperature);
  const body = toChatBody({ request, model, maxTokens: 10 }, describeChatServer('host'));
  expect(body).toMatchObject({ temperature });
});

it('an agent without a temperature sends none', () => {
  const model = takeSnapshot('gpt-4.1');
  expect(model.temperature).toBeNull();
  expect(toChatBody({ request, model, maxTokens: 10 }, describeChatServer('host'))).not.toHaveProperty('temperature');
});

it('a temperature is rejected for a model that takes none', () => {
  expect(() => takeSnapshot('claude-sonnet-5-5', 0)).toThrow('which claude-sonnet-5-5 does not support');
});
