/** JSON as models write it. Missing parts are never invented. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLooseJson } from '../../../src/core/lib/loose-json.js';
import { formatPlace } from '../../../src/core/lib/loose-text.js';

function value(text: string): unknown {
  const read = readLooseJson(text);
  return read.ok ? read.value : read;
}

describe('readLooseJson', () => {
  it.each([
    ['trailing commas', '{"a": [1, 2,], }', { a: [1, 2] }],
    ['single quotes', "{'a': 'it''s'}", { a: "it''s" }],
    ['an apostrophe in single quotes', "{'a': 'it's fine'}", { a: "it's fine" }],
    ['bare keys', '{a: 1, b_c: 2, $d: 3, e-f: 4}', { a: 1, b_c: 2, $d: 3, 'e-f': 4 }],
    ["Python's constants", '[True, False, None]', [true, false, null]],
    ['comments', '{"a": 1, // one\n # two\n /* three */ "b": 2}', { a: 1, b: 2 }],
    ['typographic quotes', '{“a”: ‘b’, „c“: “d"}', { a: 'b', c: 'd' }],
    ['words without quotes', '{"a": Paris, b: New York\n}', { a: 'Paris', b: 'New York' }],
    ['full-width marks', '{"a"：1，"b"：2}', { a: 1, b: 2 }],
    ['raw line breaks', '{"a": "b\nc\td"}', { a: 'b\nc\td' }],
    ['escaped line breaks', '{"a": "b\\nc"}', { a: 'b\nc' }],
    ['line breaks escaped outside of texts', '{\\n  "a": 1\\n}', { a: 1 }],
    ['quotes that should be escaped', '{"a": "he wrote "yes" to me"}', { a: 'he wrote "yes" to me' }],
    ['three quotes', '{"a": """b "c"\nd"""}', { a: 'b "c"\nd' }],
    ['backticks', '{"a": `b "c"`}', { a: 'b "c"' }],
    ['braces in texts', '{"a": "}{", "b": "]["}', { a: '}{', b: '][' }],
    [
      'backslashes that are not escapes',
      '{"re": "\\d+\\.", "path": "C:\\Users"}',
      { re: '\\d+\\.', path: 'C:\\Users' },
    ],
    ["Markdown's escapes", '{"a\\_b": "c\\_d"}', { a_b: 'c_d' }],
    ['code points', '"\\u00e9\\ud83d\\ude00\\x41\\u{1F600}"', 'é😀A😀'],
    ['numbers', '[1, -2.5, +3, .5, 1e3, 1_000]', [1, -2.5, 3, 0.5, 1000, 1000]],
  ])('reads %s', (_, text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  it('ignores what follows the value', () => {
    expect(readLooseJson('{"a": 1} and then I wait')).toEqual({ ok: true, value: { a: 1 }, end: 8 });
  });

  it.each([
    ['{"a": 1', 'it ends before the "}" that closes its "{"'],
    ['{"a": [1, 2}', 'expected "," or "]", found "}"'],
    ['{"a": "b', 'it ends inside a text: the closing quote is missing'],
    ['{"a": 1 "b": 2}', 'expected "," or "}", found "\\""'],
    ['{"a" 1}', 'expected ":" after the key "a", found "1"'],
    ['{"a": NaN}', 'NaN is not a value; put texts in double quotes'],
    ['[Paris]', 'Paris is not a value; put texts in double quotes'],
    ['{"a": f(x)}', 'f is not a value; put texts in double quotes'],
    ['{"a": Paris', 'Paris is not a value; put texts in double quotes'],
    ['{"zip": 01234}', '01234 is not a number; put it in double quotes'],
    ['{"a": 1e999}', '1e999 is too large a number'],
    ['', 'it ends where a value is expected'],
  ])('describes the problem of %s', (text, reason) => {
    expect(readLooseJson(text)).toMatchObject({ ok: false, reason });
  });

  it('distinguishes a cut value from an invalid one', () => {
    expect(readLooseJson('{"a": {"b": 1')).toMatchObject({ cut: true });
    expect(readLooseJson('{"a": ?}')).toMatchObject({ cut: false });
  });

  it('returns the position', () => {
    expect(formatPlace('{\n  "a": ?', 9)).toBe('line 2, column 8');
  });

  it('keeps a key named __proto__ a key', () => {
    const read = value('{"__proto__": {"a": 1}}') as object;
    expect(Object.hasOwn(read, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it('rejects values that are nested too deeply', () => {
    expect(readLooseJson('['.repeat(100_000))).toMatchObject({ ok: false });
  });

  it('reads all JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 2), (text, indent) => {
        const written = JSON.stringify(JSON.parse(text), null, indent);
        expect(readLooseJson(written)).toEqual({ ok: true, value: JSON.parse(written), end: written.length });
      }),
    );
  });

  it('never accepts the beginning of an object as a complete one', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 });
    fc.assert(
      fc.property(object, fc.double({ min: 0, max: 0.999, noNaN: true }), (given, share) => {
        const text = JSON.stringify(given);
        expect(readLooseJson(text.slice(0, Math.floor(text.length * share))).ok).toBe(false);
      }),
    );
  });
});
