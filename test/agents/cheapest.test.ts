/** The route policy `cheapest`: by price, among the models that can make the call. */

import { describe, expect, it } from 'vitest';
import { chooseModel } from '../../src/activities/model/choose-model.js';
import type { ModelSnapshot } from '../../src/core/model/agent.js';
import { type CheapestOptions, cheapest, type ModelCapability } from '../../src/index.js';
import { loadCatalogue, type ModelEntry } from '../../src/models/catalogue/catalogue.js';
import { asks, look, someInput } from '../support/core-builders.js';
import { prepared } from '../support/core-play.js';
import { fast, local, modelOf, routedAgent, strong } from '../support/core-routing.js';

const unused = { name: 'some-provider', call: () => Promise.reject(new Error('No call is made here.')) };
const plain = { ...loadCatalogue().find('claude-sonnet-5-5')!, files: [], tools: true, structuredOutput: null };

/** Chooses the model of the second call, after a result of this size. */
function choose(
  others: readonly ModelSnapshot[],
  entries: { readonly [model: string]: Partial<ModelEntry> },
  options: CheapestOptions = {},
  { dataClasses = [] as readonly string[], resultBytes = 10 } = {},
) {
  const agent = routedAgent({ others, fallbacks: [], policy: true });
  const play = prepared(agent, { ...someInput, ...(dataClasses.length === 0 ? {} : { dataClasses }) });
  play.replied(asks(look()));
  play.returned('1.1', 'x'.repeat(resultBytes));
  const models = {
    resolve: (name: string) => ({ name, provider: unused, id: `${name}-1`, entry: { ...plain, ...entries[name] } }),
  };
  const access = { models, modelAccess: { rules: [], environment: null } };
  return chooseModel({ definition: { name: 'clerk', route: cheapest(options) } }, play.chain, agent, 'step', access)
    .route.route;
}

describe('cheapest', () => {
  it('chooses the lowest price for the conversation, with the reason', () => {
    expect(choose([strong, local], {})).toMatchObject({ model: 'local', reason: 'cheapest of 3: about $0 a call' });
    expect(choose([strong], {})?.model).toBe('fast');
    const wordy = modelOf('wordy', { price: { ...fast.price!, input: 0, output: 2e-5 } });
    expect(choose([wordy], {}, { outputTokens: 10_000 })?.model).toBe('fast');
    expect(choose([wordy], {}, { outputTokens: 1 })?.model).toBe('wordy');
  });

  it.each<[ModelCapability, Partial<ModelEntry>]>([
    ['image', { files: ['image'] }],
    ['pdf', { files: ['pdf'] }],
    ['tools', { tools: true }],
    ['structured_output', { structuredOutput: true }],
    ['thinking', { thinking: true }],
  ])('takes only models with the capability %s', (capability, entry) => {
    const lacks = { files: [], tools: null, structuredOutput: null, thinking: false };
    const entries = { local: lacks, fast: lacks, strong: entry };
    expect(choose([strong, local], entries, { capable: [capability] })?.model).toBe('strong');
  });

  it('leaves out models whose window is too small, which have no price, or may not see the data', () => {
    const small = modelOf('small', { price: local.price, contextTokens: 8_000 });
    expect(choose([small], {})?.model).toBe('small');
    expect(choose([small], {}, {}, { resultBytes: 40_000 })?.model).toBe('fast');
    expect(choose([modelOf('unpriced', { price: null })], {})?.model).toBe('fast');
    const entries = { strong: { dataClasses: ['health'] } };
    expect(choose([strong, local], entries, {}, { dataClasses: ['health'] })?.model).toBe('strong');
  });

  it('uses the first model where none is left, and records why', () => {
    expect(choose([strong], {}, { capable: ['pdf'] })).toMatchObject({
      model: 'fast',
      reason: 'No model with pdf has a price, fits the conversation and is allowed for it: the first one is used.',
    });
  });

  it('rejects an unknown capability', () => {
    expect(() => cheapest({ capable: ['vision' as ModelCapability] })).toThrow(
      'cheapest: "vision" is not a capability; expected image, pdf, tools, structured_output, thinking.',
    );
  });
});
