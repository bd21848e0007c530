/** Clipped results: within the limit, of the same type, cut at lines, sentences or words. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipObservation } from '../../../../src/core/engine/state/observation.js';
import { countJsonBytes, countTextBytes } from '../../../../src/core/lib/byte-size.js';
import { type Json, toValueText } from '../../../../src/core/lib/json.js';
import { budget } from '../../../support/budget.js';
import { cpuOnce } from '../../../support/cpu-cost.js';

const bytesOf = (content: Json) => Buffer.byteLength(toValueText(content));
const halfPair = /\p{Surrogate}/u;
const typeOf = (value: Json) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 600 }),
  fc.string({ unit: 'binary', maxLength: 600 }),
  fc.array(fc.lorem({ maxCount: 12, mode: 'sentences' }), { maxLength: 40 }).map((lines) => lines.join('\n')),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\u0001', 'é', '漢', '😀'), maxLength: 600 }),
);
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 30 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('…', '__proto__', '1')), tie('value'), { maxKeys: 30 }),
  ),
})).value;
// Seven tokens hold the longest number.
const tokens = fc.oneof(fc.integer({ min: 7, max: 60 }), fc.integer({ min: 61, max: 2_000 }));

describe('any clipped value', () => {
  it('is measured in bytes as UTF-8 and JSON.stringify count them', () => {
    fc.assert(
      fc.property(json, (content) => {
        expect(countJsonBytes(content)).toBe(Buffer.byteLength(JSON.stringify(content)));
        if (typeof content === 'string') expect(countTextBytes(content, 'plain')).toBe(Buffer.byteLength(content));
      }),
    );
  });

  it('is never above the limit, and unchanged below it', () => {
    fc.assert(
      fc.property(json, tokens, (content, maxTokens) => {
        const clipped = clipObservation(content, maxTokens);
        expect(bytesOf(clipped.content)).toBeLessThanOrEqual(maxTokens * 4);
        if (bytesOf(content) <= maxTokens * 4) {
          expect(clipped.content).toBe(content);
          expect(clipped.clippedFrom).toBeNull();
        } else {
          expect(clipped.clippedFrom).toBe(bytesOf(content));
        }
      }),
      { numRuns: budget(40, 500) },
    );
  });

  it('keeps the type, and JSON stays JSON', () => {
    fc.assert(
      fc.property(json, tokens, (content, maxTokens) => {
        const clipped = clipObservation(content, maxTokens).content;
        expect(typeOf(clipped)).toBe(typeOf(content));
        // Compared as JSON, in which -0 is 0.
        expect(JSON.stringify(JSON.parse(JSON.stringify(clipped)))).toBe(JSON.stringify(clipped));
      }),
    );
  });

  it('never splits a surrogate pair', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('😀', 'a', ' '), maxLength: 300 }),
        tokens,
        (content, maxTokens) => {
          expect(halfPair.test(toValueText(clipObservation(content, maxTokens).content))).toBe(false);
          expect(halfPair.test((clipObservation([content], maxTokens).content as string[]).join(''))).toBe(false);
        },
      ),
    );
  });

  it('has its type at any limit, even a negative one', () => {
    fc.assert(
      fc.property(json, fc.integer({ min: -1, max: 6 }), (content, maxTokens) => {
        expect(typeOf(clipObservation(content, maxTokens).content)).toBe(typeOf(content));
      }),
    );
  });
});

describe('a text', () => {
  it('is cut between lines, with the number of omitted bytes', () => {
    const log = Array.from({ length: 1_000 }, (_, i) => `line ${i} of the log\n`).join('');
    const { content, clippedFrom } = clipObservation(log, 100);
    expect(content).toMatchInlineSnapshot(`
      "line 0 of the log
      line 1 of the log
      line 2 of the log
      line 3 of the log
      line 4 of the log
      line 5 of the log
      line 6 of the log
      line 7 of the log
      line 8 of the log
      line 9 of the log
      line 10 of the log
      line 11 of the log
      line 12 of the log
      line 13 of the log
      [… 19,534 of 19,890 bytes left out …]
      line 995 of the log
      line 996 of the log
      line 997 of the log
      line 998 of the log
      line 999 of the log
      "
    `);
    expect(clippedFrom).toBe(19_890);
  });

  it('is cut between sentences, otherwise between words', () => {
    expect(clipObservation('The quick fox jumps. It lands. '.repeat(50), 40).content).toMatchInlineSnapshot(
      `"The quick fox jumps. It lands. The quick fox jumps. It lands. The quick fox jumps. [… 1,436 of 1,550 bytes left out …] The quick fox jumps. It lands. "`,
    );
    expect(clipObservation('one two three four '.repeat(50), 40).content).toMatchInlineSnapshot(
      `"one two three four one two three four one two three four one two three four one two [… 828 of 950 bytes left out …] one two three four one two three four "`,
    );
  });

  it('keeps about two thirds from its beginning', () => {
    const content = clipObservation('x'.repeat(100_000), 1_000).content as string;
    const [head, tail] = content.split(/ \[….*…\] /);
    expect(Buffer.byteLength(content)).toBeGreaterThan(3_990);
    expect(head!.length / (head!.length + tail!.length)).toBeCloseTo(2 / 3, 2);
  });

  it('stays a text when it is JSON', () => {
    const content = clipObservation(JSON.stringify({ rows: Array.from({ length: 1_000 }, (_, i) => i) }), 50).content;
    expect(content).toMatch(/^\{"rows":\[0,1,.* \[… .* bytes left out …\] .*999\]\}$/);
  });

  it('gets a short mark where the full one does not fit', () => {
    expect(clipObservation('a long enough text', 4).content).toMatchInlineSnapshot(`"a long …text"`);
    expect(clipObservation('a long enough text', 0).content).toMatchInlineSnapshot(`"a…"`);
  });
});

describe('JSON', () => {
  const document = (i: number) => ({ title: `Document ${i}`, text: `Sentence ${i} of many words. `.repeat(40) });

  it('keeps the first and last of many items', () => {
    const numbers = Array.from({ length: 10_000 }, (_, i) => i);
    expect(JSON.stringify(clipObservation(numbers, 50).content)).toMatchInlineSnapshot(
      `"[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,"[… 9,953 of 10,000 items left out …]",9990,9991,9992,9993,9994,9995,9996,9997,9998,9999]"`,
    );
  });

  it('clips long items before it omits any', () => {
    const content = clipObservation([document(1), document(2), document(3)], 200).content as {
      title: string;
      text: string;
    }[];
    expect(content.map(({ title }) => title)).toEqual(['Document 1', 'Document 2', 'Document 3']);
    for (const { text } of content) expect(text).toMatch(/left out/);
  });

  it('shows some of very many long items', () => {
    const content = clipObservation(
      Array.from({ length: 500 }, (_, i) => document(i)),
      1_000,
    ).content as Json[];
    expect(
      content.map((item) => (typeof item === 'string' ? item : (item as { title: string }).title)),
    ).toMatchInlineSnapshot(`
      [
        "Document 0",
        "Document 1",
        "Document 2",
        "Document 3",
        "Document 4",
        "[… 492 of 500 items left out …]",
        "Document 497",
        "Document 498",
        "Document 499",
      ]
    `);
  });

  it('keeps short members complete next to a long one', () => {
    const content = clipObservation(
      { status: 200, body: 'word '.repeat(10_000), url: 'https://longhand.example' },
      100,
    ).content;
    expect(content).toMatchObject({ status: 200, url: 'https://longhand.example' });
    expect((content as { body: string }).body).toMatch(/of 50,000 bytes left out/);
  });

  it('keeps the keys of a large object in order, with the number of omitted ones', () => {
    const big = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`key${i}`, i]));
    const content = clipObservation(big, 50).content as Record<string, Json>;
    const keys = Object.keys(content);
    expect(keys.slice(0, -1)).toEqual(Object.keys(big).slice(0, keys.length - 1));
    expect(keys.at(-1)).toBe('…');
    expect(content['…']).toBe(`[… ${1_001 - keys.length} of 1,000 keys left out …]`);
  });

  it('overwrites no member and no prototype', () => {
    const rows = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key${i}`, i]));
    const hostile = JSON.parse(`{"__proto__":{"polluted":1},"…":"mine",${JSON.stringify(rows).slice(1)}`) as Json;
    const content = clipObservation(hostile, 60).content as Record<string, Json>;
    expect(content['…']).toBe('mine');
    expect(content['……']).toMatch(/of 502 keys left out/);
    expect(Object.getPrototypeOf(content)).toBe(Object.prototype);
    expect(Object.keys(content)[0]).toBe('__proto__');
  });
});

describe('hostile content', () => {
  const nested = (depth: number, leaf: string, open = '[', close = ']') =>
    JSON.parse(`${open.repeat(depth)}${leaf}${close.repeat(depth)}`) as Json;

  it('is cut where it is nested too deeply', () => {
    const short = clipObservation(nested(1_500, '1'), 2_000);
    expect(JSON.stringify(short.content)).toContain('nested too deep');
    expect(short.clippedFrom).toBe(3_001);
  });

  it.each([
    ['deep arrays', () => nested(200_000, '1')],
    ['deep objects', () => nested(100_000, '1', '{"a":', '}')],
    ['arrays that branch all the way down', () => nested(90, '"leaf"', '["a","bb",', ',"cc",["d"]]')],
    ['objects that branch all the way down', () => nested(90, '1', '{"a":1.5,"b":', ',"c":"text"}')],
    ['many items', () => Array.from({ length: 500_000 }, (_, i) => i)],
    ['many keys', () => Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, 'v']))],
    ['a long key', () => ({ ['k'.repeat(5_000_000)]: 1, short: 2 })],
    [
      'long texts, side by side and inside one another',
      () => [['x '.repeat(1e6), ['\u0001'.repeat(1e6)]], '😀'.repeat(1e6)],
    ],
    ['a long text without a boundary', () => 'x'.repeat(4_000_000)],
    ['a long text of nothing but boundaries', () => '. \n'.repeat(1_500_000)],
  ])('%s', (_, make) => {
    const content = make();
    for (const maxTokens of [10, 2_000, 100_000]) {
      const cost = cpuOnce(() =>
        expect(bytesOf(clipObservation(content, maxTokens).content)).toBeLessThanOrEqual(maxTokens * 4),
      );
      expect(cost).toBeLessThan(3_000);
    }
  });
});
