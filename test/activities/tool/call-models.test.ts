/** Requests of tools to models: within the time of their attempt, their reservation and the model's window; else they are not sent. */

import { describe, expect, it } from 'vitest';
import { askModel } from '../../../src/activities/context/ask-model.js';
import { computeAskingMs } from '../../../src/activities/tool/call-models.js';
import { noRequester } from '../../../src/core/engine/state/requester.js';
import { type CallableModel, type CostPart, listCostParts } from '../../../src/core/model/call-cost.js';
import type { ModelProvider } from '../../../src/entries/models.js';
import { llmTool } from '../../../src/entries/tools.js';
import { loadCatalogue } from '../../../src/models/catalogue/catalogue.js';
import { createModels } from '../../../src/models/models.js';
import { noInstruments } from '../../../src/telemetry/telemetry.js';
import { createStandaloneContext } from '../../../src/tools/define/standalone-context.js';
import { somePrice } from '../../support/core-builders.js';

describe('the time of requests', () => {
  const answer = { role: 'answer' } as const;
  const judge = { role: 'judge' } as const;

  it('leaves 5 s of an attempt to report the answers, or a fifth of a short one', () => {
    expect(computeAskingMs([answer], 'answer', 600_000)).toBe(595_000);
    expect(computeAskingMs([answer, answer], 'answer', 10_000)).toBe(8_000);
  });

  it('leaves a quarter to a judge, and to it all that the others did not need', () => {
    const parts = [answer, answer, judge];
    expect(computeAskingMs(parts, 'answer', 605_000)).toBe(450_000);
    expect(computeAskingMs(parts, 'judge', 605_000)).toBe(600_000);
  });
});

describe('a request that must not be sent', () => {
  const provider: ModelProvider = {
    name: 'some-provider',
    call: () => Promise.reject(new Error('No call is made here.')),
  };
  const fast: CallableModel = {
    ...{ name: 'fast', provider: 'some-provider', id: 'fast-1', price: somePrice },
    ...{ maxTokens: 8_000, contextTokens: 10_000, takesTemperature: false },
  };
  const dependencies = {
    models: createModels({ providers: [provider], catalogue: loadCatalogue() }),
    modelAccess: { rules: [], environment: null },
    instruments: noInstruments,
  };
  const listParts = (system: string, prompt: string): readonly CostPart[] => {
    const cost = llmTool({ models: ['fast'], system }).bindModels?.(() => fast).cost;
    return cost === undefined ? [] : listCostParts(cost, { model: 'fast', prompt });
  };
  const ask = (part: CostPart, prompt: string, leftMs = 60_000, system = 'Be brief.') =>
    askModel(
      dependencies,
      { agent: 'clerk', id: '1', dataClasses: [], requester: noRequester, endsAt: Date.now() + leftMs },
      part,
      { system, prompt },
    );

  it('has more bytes than were reserved, because a deploy has made the instructions of its tool longer', async () => {
    const parts = listParts('Be brief.', 'Why?');
    const deployed = llmTool({ models: ['fast'], system: 'Be brief, and name your sources.' });
    const run = deployed.parse({ model: 'fast', prompt: 'Why?' });
    const calls = {
      parts,
      ask: async (part: number, { system, prompt }: { system: string; prompt: string }) => {
        const { answer, use } = await ask(parts[part]!, prompt, 60_000, system);
        expect(use).toMatchObject({ settle: 'nothing', failure: 'too_large', usage: null });
        return answer;
      },
    };
    await expect(run(createStandaloneContext({}), calls)).rejects.toMatchObject({
      name: 'ToolError',
      message:
        'fast did not answer (too large): the request has 36 bytes, and 13 are reserved: the instructions of the tool are longer than when the chain started. Start the chain again to use them',
    });
  });

  it('does not fit the window of its model', async () => {
    const prompt = 'x'.repeat(40_000);
    const [part] = listParts('Be brief.', prompt);
    expect(await ask(part!, prompt)).toMatchObject({
      answer: { kind: 'context_overflow', message: expect.stringMatching(/^fast reads 10,000 tokens, its answer/) },
      use: { settle: 'nothing' },
    });
  });

  it('has no time left', async () => {
    const [part] = listParts('Be brief.', 'Why?');
    expect(await ask(part!, 'Why?', 0)).toMatchObject({ answer: { kind: 'timeout' }, use: { settle: 'nothing' } });
  });
});
