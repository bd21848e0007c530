/** What is being said is told late enough, and to those alone who will read all of it. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canReadTokens, createTokenFilter } from '../../../src/core/view/token-filter.js';
import {
  allPreferencesOn,
  createViewer,
  type Viewer,
  type VisibilityConfig,
} from '../../../src/core/view/visibility.js';
import { growth } from '../../support/cpu-cost.js';

const chain = { agent: 'clerk', tenant: 'bank', tools: { weather: {}, query: { kind: 'database' } } };

describe('who hears it', () => {
  it.each<[string, Viewer, VisibilityConfig, boolean]>([
    ['a developer', createViewer('developer'), {}, true],
    ['an end user', createViewer('end_user'), {}, false],
    ['an auditor, whatever the rules', createViewer('auditor'), { required: [{ atMost: 'hidden' }] }, true],
    ['no auditor of another tenant', createViewer('auditor', { tenant: 'shop' }), {}, false],
    [
      'nobody who has switched thoughts off',
      createViewer('developer', { preferences: { ...allPreferencesOn, thinking: false } }),
      {},
      false,
    ],
    [
      'nobody who sees a tool as a line: its arguments may be said',
      createViewer('developer'),
      { toolKinds: { database: { level: 'summary' } } },
      false,
    ],
    [
      'nobody but auditors where a tool has something sensitive',
      createViewer('developer'),
      { tools: { query: { sensitive: ['ssn'] } } },
      false,
    ],
    [
      'nobody of whom conclusions are kept',
      createViewer('support'),
      { roles: { support: { thinking: 'full', tool_call: 'full', synthesis: 'summary' } } },
      false,
    ],
    ['nobody at a marked step', createViewer('developer'), { steps: { '3': 'hidden' } }, false],
  ])('%s', (_, viewer, config, heard) => {
    expect(canReadTokens(3, { viewer, config, chain, path: '' })).toBe(heard);
  });

  it('nobody before the tools are known', () => {
    const scene = { viewer: createViewer('developer'), config: {}, chain: { ...chain, tools: null }, path: '' };
    expect(canReadTokens(1, scene)).toBe(false);
  });
});

/** All that is told of a text, in pieces of these lengths. */
function told(text: string, lengths: readonly number[]): string {
  const hear = createTokenFilter({});
  let at = 0;
  let heard = '';
  for (let piece = 0; at < text.length; piece++) {
    const length = lengths[piece % lengths.length] ?? 1;
    heard += hear(1, text.slice(at, at + length));
    at += length;
  }
  return heard;
}

const prose = 'The weather in Paris is mild today, and nobody there needs a coat or an umbrella. '.repeat(8);
const lengths = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 });

describe('what is told of it', () => {
  it('is what is said, whole words of it, and not much later', () => {
    fc.assert(
      fc.property(lengths, (pieces) => {
        const heard = told(prose, pieces);
        expect(prose.startsWith(heard)).toBe(true);
        expect(heard).toMatch(/\s$/);
        expect(prose.length - heard.length).toBeLessThan(120);
      }),
    );
  });

  it.each([
    ['an API key', `sk-ant-api03-${'Ab3dEf9hIj'.repeat(9)}AA`],
    ['a card', '4111 1111 1111 1111'],
    ['an account', 'DE89 3704 0044 0532 0130 00'],
    ['a password', 'password: hunter2Hunter2'],
    ['an address', 'ann@example.org'],
    [
      'a private key',
      `-----BEGIN PRIVATE KEY-----\n${`${'MIIEvQIBADANBgkq'.repeat(4)}\n`.repeat(12)}-----END PRIVATE KEY-----`,
    ],
  ])('holds nothing of %s, however it comes in pieces, and is silent from there on', (_, secret) => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 0, max: 300 }), (pieces, from) => {
        const before = prose.slice(0, from);
        const heard = told(`${before} ${secret} ${prose}`, pieces);
        expect(`${before} ${secret}`.startsWith(heard.trimEnd())).toBe(true);
        expect(heard.length).toBeLessThanOrEqual(before.length + 28);
        expect(heard).not.toMatch(/sk-ant|4111|3704|hunter|ann@|MIIE/);
      }),
    );
  });

  it('is nothing where fields are hidden by their place, which is not known of words', () => {
    const hear = createTokenFilter({ paths: ['patient.name'] });
    expect(hear(1, `{"patient": {"name": "Maria Musterfrau"}} ${prose}`)).toBe('');
  });

  it('begins anew with each step', () => {
    const hear = createTokenFilter({});
    hear(1, `${prose} ann@example.org `);
    expect(hear(1, prose)).toBe('');
    expect(prose.startsWith(hear(2, prose))).toBe(true);
  });

  it.each([
    ['of words', prose],
    ['without a space', 'word'.repeat(150)],
    ['of nothing but spaces', ' \n'.repeat(300)],
  ])('costs in proportion to what is said: a reply %s', (_, part) => {
    const telling = (times: number) => () => told(part.repeat(times), [4]);
    expect(growth(8 * 4, telling(8), telling(64))).toBeLessThan(8 * 4);
  });
});
