/** The limit of an observation in tokens: its default, and its estimate by the scripts of the text. */

import { expect, it } from 'vitest';
import { createSnapshot } from '../../src/agents/snapshot.js';
import { clipObservation } from '../../src/core/engine/index.js';
import { estimateTextTokens } from '../../src/core/lib/index.js';
import type { ModelProvider } from '../../src/entries/models.js';
import { defineAgent } from '../../src/index.js';
import { loadCatalogue } from '../../src/models/catalogue/catalogue.js';
import { createModels } from '../../src/models/models.js';
import { readPart } from '../../src/tools/builtin/read-part.js';
import { toObservation } from '../../src/tools/define/index.js';

const unused: ModelProvider = { name: 'unused', call: () => Promise.reject(new Error('Unexpected call.')) };

function defaultTokens(): number {
  const models = createModels({ providers: [unused], catalogue: loadCatalogue() });
  const worker = { models, defaultModel: null, modelRetry: {}, onProviderError: 'hold', localCalls: true } as const;
  const agent = defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5' });
  return createSnapshot(agent, { model: null, limits: {} }, worker).maxObservationTokens;
}

/** Sentences, with the tokens of each by o200k_base and cl100k_base, counted with gpt-tokenizer. */
const sentences = {
  English: ['All human beings are born free and equal in dignity and rights. ', 14, 14],
  Russian: ['Все люди рождаются свободными и равными в своем достоинстве и правах. ', 18, 36],
  Greek: ['Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια. ', 26, 63],
  Hebrew: ['כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. ', 21, 57],
  Thai: ['มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน', 20, 41],
  Chinese: ['人人生而自由，在尊严和权利上一律平等。', 15, 21],
  Japanese: ['すべての人間は、生まれながらにして自由である。', 18, 23],
  Korean: ['모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. ', 25, 42],
  emoji: ['😀🎉🚀🐢🌍🔥💡🧪🦀🎻', 20, 28],
} as const;

it('an observation has 2,000 tokens by default', () => {
  const maxTokens = defaultTokens();
  expect(maxTokens).toBe(2_000);
  const fits = 'x'.repeat(8_000);
  expect(toObservation(fits, maxTokens)).toEqual({ content: fits, clippedFrom: null });
  const { content, clippedFrom } = toObservation(`${fits}x`, maxTokens);
  expect(clippedFrom).toBe(8_001);
  expect(String(content).length).toBeLessThanOrEqual(8_000);
});

it.each(Object.entries(sentences))(
  'the tokens of an observation are estimated by its script: %s',
  (_, [sentence, newer, older]) => {
    const text = sentence.repeat(Math.ceil(40_000 / sentence.length));
    const { content, clippedFrom } = toObservation(text, 2_000);
    expect(clippedFrom).toBe(Buffer.byteLength(text));
    const repeats = [...String(content)].length / [...sentence].length;
    expect(repeats * newer).toBeLessThan(2_100);
    // An older tokenizer has few words of some scripts.
    expect(repeats * older).toBeLessThan(4_700);
    expect(repeats).toBeGreaterThan(25);
    const list = toObservation({ lines: Array.from({ length: 4_000 }, () => sentence) }, 2_000);
    expect(estimateTextTokens(JSON.stringify(list.content))).toBeLessThanOrEqual(2_000);
    expect(list.content).toMatchObject({ lines: expect.arrayContaining([sentence]) });
  },
);

it('a text without other scripts is clipped as before, to its bytes', () => {
  const text = 'A line of a log – with “signs”.\n'.repeat(1_000);
  expect(toObservation(text, 2_000)).toEqual(clipObservation(text, 2_000));
});

it('a part of a long result has the tokens of an observation, so that it is not clipped again', async () => {
  const text = sentences.Chinese[0].repeat(1_000);
  const content = async function* () {
    yield new TextEncoder().encode(text);
  };
  const part = await readPart(content(), { maxBytes: 8_000 });
  expect(toObservation({ ...part }, 2_000).clippedFrom).toBeNull();
  expect(part?.text.length).toBeGreaterThan(1_000);
});
