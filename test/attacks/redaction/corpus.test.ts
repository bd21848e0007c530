/** An attacker's corpus: secrets are masked to the character, by default or by a policy, and innocent text is not changed. */

import { describe, expect, it } from 'vitest';
import { optionalKinds } from '../../../src/core/redact/policy.js';
import { createRedactor } from '../../../src/core/redact/redactor.js';
import { budget } from '../../support/budget.js';
import { attack, everything } from './attack-corpus.js';
import { optional } from './corpus-optional.js';
import { persons, promised } from './corpus-promised.js';
import { innocent } from './innocent.js';

const seeds = [1, 2, 3, 4, 5, 6].slice(0, budget(2, 6));

describe.each(Object.entries({ ...promised, ...persons }))('a default redactor masks %s', (_, texts) => {
  it.each(texts)('%s', (written) => {
    for (const seed of seeds) {
      const { shown, expected } = attack(written, seed);
      expect(shown).toBe(expected);
    }
  });
});

describe.each(optionalKinds.map((kind) => [kind, optional[kind]] as const))(
  'a redactor with the optional kind %s',
  (kind, texts) => {
    it.each(texts)('%s', (written) => {
      for (const seed of seeds) {
        const { shown, expected } = attack(written, seed, { optionalKinds: [kind] });
        expect(shown).toBe(expected);
      }
    });

    it('is not the default', () => {
      const unchanged = texts.filter((written) => attack(written, 1).shown === attack(written, 1).text);
      expect(unchanged.length).toBeGreaterThan(texts.length / 2);
    });
  },
);

describe('a redactor with or without optional kinds keeps', () => {
  it.each(innocent)('%s', (written) => {
    for (const seed of seeds) {
      for (const policy of [{}, { optionalKinds }]) {
        const { text, shown } = attack(written, seed, policy);
        expect(shown).toBe(text);
      }
    }
  });
});

it.each([{}, { optionalKinds }])('masking a masked text changes nothing, with %j', (policy) => {
  for (const written of everything) {
    const { masked } = attack(written, 1, policy);
    expect(createRedactor(policy).text(masked)).toBe(masked);
  }
});

it('JSON with masked values stays JSON', () => {
  for (const written of everything) {
    const { text } = attack(written, 1);
    const nested = JSON.stringify({ note: text, deep: JSON.stringify({ text }) });
    const masked = createRedactor({ optionalKinds }).text(nested);
    expect(() => JSON.parse(masked), masked).not.toThrow();
  }
});
