/** L1: equal values have equal canonical JSON and digests; heads differ for different facts. */

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { computeHead } from '../../../src/core/engine/advance.js';
import { computeCallKey, computeDigest } from '../../../src/core/lib/digest.js';
import {
  countUtf8Bytes,
  findOwn,
  isObject,
  isTooDeep,
  type Json,
  toCanonicalJson,
  toValueText,
  toWellFormed,
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

/** Any text, often one that JSON escapes, an integer as a name, or a lone surrogate. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({
    unit: fc.constantFrom('a', '"', '\\', '\n', '\u007f', ' ', 'é', '\ud83d', '\ude00', '1'),
    maxLength: 100,
  }),
  fc.constantFrom('10', '9', '__proto__', 'constructor', 'type', 'content'),
);

const { anyJson } = fc.letrec<{ anyJson: Json }>((tie) => ({
  anyJson: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(anyText, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('anyJson'), { maxLength: 6 }),
    fc.dictionary(anyText, tie('anyJson'), { maxKeys: 20, noNullPrototype: true }),
  ),
}));

const repairText = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd');

/** The plain meaning of canonical JSON. Names that become equal by repair are the last one's, in the order of the names. */
function writePlainly(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(repairText(value));
  if (Array.isArray(value)) return `[${value.map(writePlainly).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const compareNames = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);
  const repaired = new Map(
    Object.entries(value)
      .sort(compareNames)
      .map(([name, member]) => [repairText(name), member]),
  );
  const members = [...repaired].sort(compareNames);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writePlainly(member)}`).join(',')}}`;
}

describe('canonical JSON', () => {
  it('is that of a plain reference, for texts and names that models choose', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(toCanonicalJson(value)).toBe(writePlainly(value));
      }),
    );
  });

  it('is the same after more names than the cache of names has room for', () => {
    const names = Array.from({ length: 3_000 }, (_, at) => `name "${at}"`);
    const value = Object.fromEntries(names.map((name, at) => [name, at]));
    expect(toCanonicalJson(value)).toBe(writePlainly(value));
    expect(toCanonicalJson(value)).toBe(writePlainly(value));
  });

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

describe('well-formed values', () => {
  it('are those of a plain reference, with and without the test of the engine', async () => {
    const descriptor = Object.getOwnPropertyDescriptor(String.prototype, 'isWellFormed')!;
    Reflect.deleteProperty(String.prototype, 'isWellFormed');
    vi.resetModules();
    const older = await import('../../../src/core/lib/json.js').finally(() =>
      Object.defineProperty(String.prototype, 'isWellFormed', descriptor),
    );
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(JSON.stringify(toWellFormed(value))).toBe(JSON.stringify(older.toWellFormed(value)));
        expect(toCanonicalJson(toWellFormed(value))).toBe(writePlainly(value));
      }),
    );
  });
});

it('a value is too deep as a plain reference finds it', () => {
  const measureDepth = (value: Json): number =>
    value !== null && typeof value === 'object' ? 1 + Math.max(0, ...Object.values(value).map(measureDepth)) : 0;
  fc.assert(
    fc.property(anyJson, fc.integer({ min: 0, max: 5 }), (value, levels) => {
      expect(isTooDeep(value, levels)).toBe(measureDepth(value) > levels);
    }),
  );
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

it("the key of a call is the same by the host's SHA-256", () => {
  const computeOnHost = (text: string) => createHash('sha256').update(text).digest('hex');
  fc.assert(
    fc.property(anyText, anyJson, (tool, input) => {
      const key = computeCallKey(tool, input, computeOnHost);
      expect(key).toBe(computeCallKey(tool, input));
      expect(key).toBe(computeOnHost(writePlainly([tool, input])).slice(0, 32));
    }),
  );
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
