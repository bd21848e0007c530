/** A secret is masked in a token stream with pieces of any length. */

import { describe, expect, it } from 'vitest';
import { optionalKinds } from '../../../src/core/redact/policy.js';
import { createRedactor } from '../../../src/core/redact/redactor.js';
import { createTokenFilter } from '../../../src/core/view/token-filter.js';
import type { RedactionPolicy } from '../../../src/entries/view.js';
import { isLong } from '../../support/budget.js';
import { attack, byDefault, everything } from './attack-corpus.js';

const prose = 'The weather in Paris is mild today, and nobody there needs a coat or an umbrella.\n';
/** Lengths of the pieces, which repeat: one character, a few, and many. */
const cuts: readonly (readonly number[])[] = [[1], [3, 11, 2], [90, 1, 37]];

function filterTokens(text: string, pieces: readonly number[], policy: RedactionPolicy): string {
  const filter = createTokenFilter(policy, { hidesPrivate: true });
  let emitted = '';
  for (let at = 0, piece = 0; at < text.length; piece++) {
    const length = pieces[piece % pieces.length] ?? 1;
    emitted += filter(1, text.slice(at, at + length));
    at += length;
  }
  return emitted;
}

describe.each<[string, readonly string[], RedactionPolicy]>([
  ['by default', byDefault, {}],
  ['with all optional kinds', everything.filter((written) => !byDefault.includes(written)), { optionalKinds }],
])('a token filter %s', (_, corpus, policy) => {
  it.each(corpus)('reveals no part of a secret: %s', (written) => {
    // In the short form, each secret in pieces of some lengths: all lengths are in turn.
    const at = corpus.indexOf(written) % cuts.length;
    const { text } = attack(written, 3);
    const whole = `${prose.repeat(2)}\n${text}\n${prose.repeat(4)}`;
    const masked = createRedactor(policy).text(whole);
    // A mask begins where the secret begins.
    const least = masked.indexOf('[redacted:');
    expect(least).toBeGreaterThan(0);
    for (const pieces of isLong ? cuts : cuts.slice(at, at + 1)) {
      const emitted = filterTokens(whole, pieces, policy);
      expect(whole.startsWith(emitted)).toBe(true);
      expect(emitted.length).toBeLessThanOrEqual(least);
    }
  });
});
