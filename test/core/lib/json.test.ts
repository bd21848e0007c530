/** L1: equal values have equal canonical JSON and digests; heads differ for different facts. */

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeHead } from '../../../src/core/engine/advance.js';
import { computeCallKey, computeDigest } from '../../../src/core/lib/digest.js';
import {
  countUtf8Bytes,
  findOwn,
  isObject,
  type Json,
  toCanonicalJson,
  toValueText,
} from '../../../src/core/lib/json.js';
import type { Fact } from '../../../src/core/model/fact.js';

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

/** The same value with all its keys in another order. */
function reverseKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reverseKeys(member)]),
  );
}

describe('canonical JSON', () => {
  it('writes sorted keys without white space', () => {
    expect(toCanonicalJson({ b: [1, { d: null, c: 'ü' }], a: true, '10': 0 })).toBe(
      '{"10":0,"a":true,"b":[1,{"c":"ü","d":null}]}',
    );
  });

  it('leaves out absent members, as JSON does', () => {
    expect(toCanonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(toCanonicalJson([undefined, 1])).toBe('[null,1]');
    expect(toCanonicalJson(undefined)).toBe('null');
  });

  it('is JSON of the same value, and does not depend on the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(toCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(toCanonicalJson(reverseKeys(value))).toBe(toCanonicalJson(value));
        expect(toCanonicalJson(JSON.parse(JSON.stringify(value)))).toBe(toCanonicalJson(value));
      }),
    );
  });

  it('L4: writes values that are nested deeper than the stack allows', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    let value: Json = [];
    for (let depth = 1; depth < 200_000; depth++) value = [value];
    expect(toCanonicalJson(value)).toBe(deep);
  });
});

describe('a head', () => {
  const fired = (timer: 'retry' | 'grace', at = 5): Fact => ({ type: 'timerFired', at, timer });

  it('is the same for the same facts with keys in another order', () => {
    const fact = fired('retry');
    expect(computeHead('', reverseKeys(fact as unknown as Json) as unknown as Fact)).toBe(computeHead('', fact));
  });

  it('differs for another fact, another time and another order', () => {
    const head = (...facts: readonly Fact[]) => facts.reduce((head, fact) => computeHead(head, fact), '');
    const heads = [
      head(fired('retry')),
      head(fired('grace')),
      head(fired('retry', 6)),
      head(fired('retry'), fired('grace')),
      head(fired('grace'), fired('retry')),
    ];
    expect(new Set(heads).size).toBe(heads.length);
  });

  it('is SHA-256 in hexadecimal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(computeDigest(text)).toBe(createHash('sha256').update(text).digest('hex'));
      }),
    );
  });
});

it('the key of a call depends on its tool and its arguments', () => {
  expect(computeCallKey('look', { a: 1, b: 2 })).toBe(computeCallKey('look', { b: 2, a: 1 }));
  const keys = [
    computeCallKey('look', {}),
    computeCallKey('read', {}),
    computeCallKey('look', '{}'),
    computeCallKey('look', []),
    computeCallKey('look', null),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

it('never counts fewer bytes than a text has', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(countUtf8Bytes(text)).toBeGreaterThanOrEqual(Buffer.byteLength(text));
    }),
  );
});

it("findOwn finds only a record's own members", () => {
  expect(findOwn({ look: 1 }, 'look')).toBe(1);
  expect(findOwn({ look: 1 }, 'constructor')).toBeUndefined();
  expect(findOwn({}, '__proto__')).toBeUndefined();
});

it('toValueText returns text unchanged, and anything else as JSON', () => {
  expect([toValueText('a"b'), toValueText({ a: 1 }), toValueText(null), toValueText(0)]).toEqual([
    'a"b',
    '{"a":1}',
    'null',
    '0',
  ]);
});
