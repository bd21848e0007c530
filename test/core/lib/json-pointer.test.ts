/** JSON pointers: names with slashes, tildes and percent signs, items of lists, and what is no pointer. */

import { describe, expect, it } from 'vitest';
import { findAtPointer, splitPointer } from '../../../src/core/lib/json-pointer.js';

const document = {
  $defs: { 'a/b~c': 1, 'a b': 2, '50%': 3, 'x%20y': 4, '': 5 },
  list: [{ name: 'first' }],
};

describe('findAtPointer', () => {
  it.each([
    ['#/$defs/a~1b~0c', 1],
    ['/$defs/a~1b~0c', 1],
    ['#/$defs/a%20b', 2],
    ['#/$defs/50%', 3],
    ['#/$defs/x%20y', 4],
    ['#/$defs/', 5],
    ['#/list/0/name', 'first'],
    ['#', document],
    ['', document],
  ])('finds %s', (pointer, value) => {
    expect(findAtPointer(document, pointer)).toEqual(value);
  });

  it.each(['#/list/1', '#/list/length', '#/$defs/constructor', '#/$defs/50%/x', '#anchor', 'other.json#/$defs'])(
    'finds nothing at %s',
    (pointer) => {
      expect(findAtPointer(document, pointer)).toBeUndefined();
    },
  );
});

it('splits a pointer into its decoded names', () => {
  expect(splitPointer('#/$defs/a~1b%20c')).toEqual(['$defs', 'a/b c']);
  expect(splitPointer('#')).toEqual([]);
});
