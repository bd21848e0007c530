/** Tokens are sent late enough, and only to viewers who may read all of them. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allPreferencesOn } from '../../../src/core/view/preferences.js';
import { canReadTokens, createTokenFilter } from '../../../src/core/view/token-filter.js';
import { createViewer, type Viewer, type VisibilityConfig } from '../../../src/core/view/visibility.js';
import { growth } from '../../support/cpu-cost.js';

const chain = { agent: 'clerk', tenant: 'bank', tools: { weather: {}, query: { kind: 'database' } } };

describe('tokens are for', () => {
  it.each<[string, Viewer, VisibilityConfig, boolean]>([
    ['a developer', createViewer('developer'), {}, true],
    ['an end user', createViewer('end_user'), {}, false],
    ['an auditor under any rules', createViewer('auditor'), { required: [{ atMost: 'hidden' }] }, true],
    ['no auditor of another tenant', createViewer('auditor', { tenant: 'shop' }), {}, false],
    [
      'no viewer who switched thoughts off',
      createViewer('developer', { preferences: { ...allPreferencesOn, thinking: false } }),
      {},
      false,
    ],
    [
      'no viewer who sees a tool as a line: tokens may be its arguments',
      createViewer('developer'),
      { tools: { query: { level: 'summary' } } },
      false,
    ],
    [
      'auditors only, where a tool has sensitive paths',
      createViewer('developer'),
      { tools: { query: { sensitive: ['ssn'] } } },
      false,
    ],
    [
      'no viewer whose conclusions are hidden',
      createViewer('support'),
      { roles: { support: { thinking: 'full', tool_call: 'full', synthesis: 'summary' } } },
      false,
    ],
    ['no viewer at a step with its own rule', createViewer('developer'), { steps: { '3': 'hidden' } }, false],
  ])('%s', (_, viewer, config, received) => {
    expect(canReadTokens(3, { viewer, config, chain, path: '' })).toBe(received);
  });

  it('no viewer before the tools are known', () => {
    const scene = { viewer: createViewer('developer'), config: {}, chain: { ...chain, tools: null }, path: '' };
    expect(canReadTokens(1, scene)).toBe(false);
  });
});

/** Returns all that is sent of a text in pieces of these lengths. */
function sendPieces(text: string, lengths: readonly number[]): string {
  const filter = createTokenFilter({}, { hidesPrivate: true });
  let at = 0;
  let received = '';
  for (let piece = 0; at < text.length; piece++) {
    const length = lengths[piece % lengths.length] ?? 1;
    received += filter(1, text.slice(at, at + length));
    at += length;
  }
  return received;
}

const prose = 'The weather in Paris is mild today, and nobody there needs a coat or an umbrella. '.repeat(8);
const lengths = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 });

describe('the sent text', () => {
  it('is the reply in whole words, with a short delay', () => {
    fc.assert(
      fc.property(lengths, (pieces) => {
        const received = sendPieces(prose, pieces);
        expect(prose.startsWith(received)).toBe(true);
        expect(received).toMatch(/\s$/);
        expect(prose.length - received.length).toBeLessThan(120);
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
  ])('contains nothing of %s in any pieces, and ends there', (_, secret) => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 0, max: 300 }), (pieces, from) => {
        const before = prose.slice(0, from);
        const received = sendPieces(`${before} ${secret} ${prose}`, pieces);
        expect(`${before} ${secret}`.startsWith(received.trimEnd())).toBe(true);
        expect(received.length).toBeLessThanOrEqual(before.length + 28);
        expect(received).not.toMatch(/sk-ant|4111|3704|hunter|ann@|MIIE/);
      }),
    );
  });

  it('is empty where fields are hidden by path, which tokens do not have', () => {
    const filter = createTokenFilter({ paths: ['patient.name'] }, { hidesPrivate: true });
    expect(filter(1, `{"patient": {"name": "Maria Musterfrau"}} ${prose}`)).toBe('');
  });

  it('starts again with each step', () => {
    const filter = createTokenFilter({}, { hidesPrivate: true });
    filter(1, `${prose} ann@example.org `);
    expect(filter(1, prose)).toBe('');
    expect(prose.startsWith(filter(2, prose))).toBe(true);
  });

  it.each([
    ['of words', prose],
    ['without a space', 'word'.repeat(150)],
    ['of nothing but spaces', ' \n'.repeat(300)],
  ])('has a cost proportional to the reply: %s', (_, part) => {
    const send = (times: number) => () => sendPieces(part.repeat(times), [4]);
    expect(growth(8 * 4, send(8), send(64))).toBeLessThan(8 * 4);
  });
});

it('sends no token of a step after a gap, in which the start of a secret may be', () => {
  const filter = createTokenFilter({}, { hidesPrivate: true });
  const words = 'The wind turns to the north. '.repeat(10);
  expect(filter(1, words, 0)).not.toBe('');
  expect(filter(1, `hunter2 opens the door. ${words}`, 16)).toBe('');
  expect(filter(1, words, 0)).toBe('');
  expect(filter(2, words, 0)).not.toBe('');
});
