/** Columns: unpacking returns the packed values. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/index.js';
import { packColumns, unpackColumns } from '../../../src/store/archive/columns.js';

const packAndUnpack = (values: readonly Json[]) => unpackColumns(JSON.parse(JSON.stringify(packColumns(values))));

describe('columns', () => {
  it('return all JSON values unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 })), (values) => {
        const plain = JSON.parse(JSON.stringify(values)) as readonly Json[];
        expect(JSON.stringify(packAndUnpack(plain))).toBe(JSON.stringify(plain));
      }),
    );
  });

  it('return many values of few shapes, in their order', () => {
    const shape = fc.oneof(
      fc.record({ type: fc.constant('a'), at: fc.maxSafeInteger(), text: fc.string() }),
      fc.record({
        type: fc.constant('b'),
        cost: fc.double({ noNaN: true, noDefaultInfinity: true }),
        on: fc.boolean(),
      }),
      fc.record({ digest: fc.stringMatching(/^[0-9a-f]{64}$/), places: fc.array(fc.nat(), { maxLength: 2 }) }),
    );
    fc.assert(
      fc.property(fc.array(shape, { minLength: 10 }), (values) => {
        const plain = JSON.parse(JSON.stringify(values)) as readonly Json[];
        expect(JSON.stringify(packAndUnpack(plain))).toBe(JSON.stringify(plain));
      }),
    );
  });

  it('return deeply nested values, and members named like those of Object.prototype', () => {
    let deep: Json = 'down here';
    for (let level = 0; level < 500; level += 1) deep = [deep];
    const own = JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":null}') as Json;
    const values = [deep, own, own, own, own, deep];
    expect(JSON.stringify(packAndUnpack(values))).toBe(JSON.stringify(values));
  });

  it('store a repeated value once', () => {
    const values = Array.from({ length: 1_000 }, (_, at) => ({ type: 'toolReturned', at: 1_700_000_000_000 + at }));
    const written = packColumns(values);
    expect(written.leaves).toEqual([[{ same: 'toolReturned', times: 1_000 }, { more: expect.any(Array) }]]);
    expect(JSON.stringify(written).length).toBeLessThan(3_000);
  });
});
