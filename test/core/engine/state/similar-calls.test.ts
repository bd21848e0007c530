/** Which sequences of ten calls stall: similar reads whose results bring nothing new, and no others. */

import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/index.js';
import { agentOf, asks, tool } from '../../../support/core-builders.js';
import { type Play, prepared } from '../../../support/core-play.js';

const tools = [tool('search'), tool('page'), tool('save', { effects: 'idempotent' })];

/** Takes up to ten steps of one call each; returns the outcome, or null while the chain runs. */
function play(
  name: string,
  input: (at: number) => Json,
  result: (at: number) => Json,
  limits: { readonly stallSimilarity?: number } = {},
): string | null {
  const chain: Play = prepared(agentOf({ tools, limits: { steps: 100, ...limits } }));
  for (let at = 0; at < 10 && chain.state.stop === null; at++) {
    chain.replied(asks({ tool: name, input: input(at) }));
    for (const call of chain.step.calls) if (call.status === 'pending') chain.returned(call.id, result(at));
  }
  return chain.state.stop?.outcome ?? null;
}

const fillers = ['', 'in', 'the', 'today', 'now', 'city', 'please', 'forecast', 'current', 'local'];
const cities = ['Paris', 'Rome', 'Oslo', 'Bern', 'Wien', 'Kyiv', 'Riga', 'Lima', 'Doha', 'Cork'];
const news = (at: number) => `result ${at}`;
const same = () => 'No results.';
const every =
  <T>(of: readonly T[]) =>
  (at: number) =>
    of[at % of.length] as T;

describe('ten calls of a read stall', () => {
  it.each<[string, (at: number) => Json, (at: number) => Json]>([
    ['with a word added', (at) => ({ query: `weather Paris ${fillers[at]}` }), same],
    ['with words in another order', every([{ query: 'price of gold' }, { query: 'gold price of' }]), same],
    ['in other letters', every([{ query: 'ACME Corp revenue' }, { query: 'acme corp REVENUE' }]), same],
    [
      'with other punctuation',
      every(['acme, revenue?', 'acme revenue', '"acme" revenue!'].map((query) => ({ query }))),
      same,
    ],
    ['with other spaces', (at) => ({ query: `acme${' '.repeat(at + 1)}revenue` }), same],
    ['with and without accents', every([{ query: 'café près' }, { query: 'cafe pres' }]), same],
    ['in the plural', every([{ query: 'gold price london' }, { query: 'gold prices london' }]), same],
    ['with one of six words replaced', (at) => ({ query: `annual revenue growth of acme ${fillers[at]}` }), same],
    ['with an optional argument', every([{ query: 'acme revenue' }, { query: 'acme revenue', deep: true }]), same],
    [
      'with the keys in another order',
      every([
        { a: 'one', b: 'two' },
        { b: 'two', a: 'one' },
      ]),
      same,
    ],
    ['with fractions that differ by less than 1 %', (at) => ({ lat: 52.52 + at / 1_000, lon: 13.4 }), same],
    ['with the same list of words', every([{ terms: ['gold', 'price'] }, { terms: ['Gold', 'prices'] }]), same],
    [
      'with results in another order',
      every([{ query: 'acme revenue' }, { query: 'acme revenue now' }]),
      every<Json>([
        ['a', 'b'],
        ['b', 'a'],
      ]),
    ],
    [
      'with results in other letters',
      (at) => ({ query: `weather Paris ${fillers[at]}` }),
      every(['Rain\nSun', 'sun\nrain']),
    ],
    ['in a script without spaces', every([{ query: '東京の天気予報' }, { query: '東京の天気予報は' }]), same],
  ])('%s', (_, input, result) => {
    expect(play('search', input, result)).toBe('stalled');
  });
});

describe('ten calls do not stall', () => {
  it.each<[string, string, (at: number) => Json, (at: number) => Json]>([
    ['of a paging loop with new results', 'page', (at) => ({ query: 'acme revenue', page: at }), news],
    [
      'of a search that is reworded, with new results',
      'search',
      (at) => ({ query: `weather Paris ${fillers[at]}` }),
      news,
    ],
    ['about ten cities', 'search', (at) => ({ query: `weather ${cities[at]}` }), same],
    ['about ten cities in a long question', 'search', (at) => ({ query: `opening hours museum ${cities[at]}` }), same],
    ['about ten numbers', 'page', (at) => ({ id: 1_001 + at }), same],
    [
      'about ten numbers in a text',
      'search',
      (at) => ({ query: `is order ${1_001 + at} of customer seven open` }),
      same,
    ],
    ['about ten years', 'search', (at) => ({ query: `annual revenue growth of acme corp in ${2_010 + at}` }), same],
    ['about ten files', 'page', (at) => ({ path: `src/module${at}/index.ts`, pattern: 'TODO' }), same],
    ['about ten pages without results', 'page', (at) => ({ query: 'acme revenue of the year', page: at }), same],
    ['with fractions that differ by more', 'search', (at) => ({ lat: 10.5 + at * 5, lon: 13.4 }), same],
    ['with another switch each', 'search', (at) => ({ query: 'acme', [`only${at}`]: true }), same],
    ['with another argument in place of one', 'search', (at) => ({ [fillers[at] || 'all']: 'acme revenue' }), same],
    ['of a tool that writes', 'save', (at) => ({ text: `weather Paris ${fillers[at]}` }), same],
    ['with long contents', 'search', (at) => ({ text: `${'many words '.repeat(100)}${fillers[at]}` }), same],
  ])('%s', (_, name, input, result) => {
    expect(play(name, input, result)).toBeNull();
  });
});

it('the similarity is a limit: 1 counts only equal words', () => {
  const input = (at: number) => ({ query: `weather Paris ${fillers[at]}` });
  expect(play('search', input, same, { stallSimilarity: 1 })).toBeNull();
  expect(play('search', (at) => ({ query: `museum ${cities[at]}` }), same, { stallSimilarity: 0.5 })).toBe('stalled');
});
