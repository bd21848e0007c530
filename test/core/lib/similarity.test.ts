/** Arguments of one meaning are equal, also where they differ as JSON. */

import { expect, it } from 'vitest';
import { compareArguments, toComparedText } from '../../../src/core/lib/similarity.js';
import type { Json } from '../../../src/index.js';

const compare = (one: Json, other: Json) => compareArguments(toComparedText(one), toComparedText(other));

it.each<[Json, Json]>([
  [{}, { filters: [] }],
  [{ f: [] }, { f: {} }],
  [[], {}],
  [{ query: 'weather paris' }, { query: 'Paris weather' }],
])('%j is %j', (one, other) => {
  expect(compare(one, other)).toBe(1);
});

it('arguments with nothing in common, and long ones, are not similar', () => {
  expect(compare({}, { query: 'paris' })).toBe(0);
  expect(compare({ a: 1 }, { b: 1 })).toBe(0);
  const ids = Array.from({ length: 60 }, (_, at) => at);
  expect(compare({ ids, note: 'the list' }, { ids, note: 'list' })).toBe(0);
  expect(compare({ text: 'x'.repeat(700) }, { text: 'x'.repeat(700) })).toBe(0);
});
