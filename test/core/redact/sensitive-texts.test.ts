/** Sensitive texts of a value are found, also in a text that is clipped JSON. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipObservation } from '../../../src/core/engine/state/observation.js';
import type { Json } from '../../../src/core/lib/json.js';
import { findSensitiveTexts } from '../../../src/core/redact/sensitive-texts.js';
import { cpuCost } from '../../support/cpu-cost.js';

const paths = ['customer.pin', 'rows.*.ssn', 'codes'];

describe('a text at a sensitive path', () => {
  it('is found in values and in JSON texts, if it is long enough', () => {
    const held = {
      customer: { pin: ' zebra-9 ', name: 'Somebody' },
      rows: [{ ssn: 123456 }, { ssn: '12' }],
      codes: [['abcdef']],
    };
    expect(findSensitiveTexts(held, paths)).toEqual(['zebra-9', '123456', 'abcdef']);
    expect(findSensitiveTexts(JSON.stringify(held), paths)).toEqual(['zebra-9', '123456', 'abcdef']);
    expect(findSensitiveTexts('customer.pin is a path', paths)).toEqual([]);
    expect(findSensitiveTexts(held, [])).toEqual([]);
  });

  it('is found in the parts that remain after clipping', () => {
    const { content } = clipObservation({ customer: { pin: `first part ${'x '.repeat(9_000)} last part` } }, 100);
    const found = findSensitiveTexts(content, paths);
    expect(found.some((each) => each.startsWith('first part') && !each.includes('…'))).toBe(true);
    expect(found.some((each) => each.endsWith('last part') && !each.includes('…'))).toBe(true);
  });

  it('is exact in the valid beginning of clipped JSON', () => {
    const text = '{"customer":{"name":"Somebody","pin":"zebra-9"},"city":"Paris!!","rows":[{"ssn":"123-45-67';
    expect(findSensitiveTexts(text, paths)).toEqual(['zebra-9', '123-45-67']);
  });

  it('is found if the rest of a text is by chance JSON of another shape', () => {
    const text = '{"rows":[{" [… 1,000 of 2,000 bytes left out …] sn":"123-45-6789"}]}';
    expect(findSensitiveTexts(text, paths)).toEqual(['123-45-6789']);
  });

  it('includes all values of the clipped rest, but no names', () => {
    const text =
      '{"city":"Paris!!","rows":[{"of [… 10 of 2,000 bytes left out …] somebody","number":1234567,"text":"\\"hi\\" there"}]}';
    expect(findSensitiveTexts(text, paths)).toEqual(['somebody', '1234567', '"hi" there']);
    expect(findSensitiveTexts('{"a":1}\n{"path":"c:\\\\dir\\\\","more":"of it!"}', paths)).toEqual([
      'c:\\dir\\',
      'of it!',
    ]);
  });

  it('is found wherever a text is clipped', () => {
    const ssn = (row: number) => `${100_000 + row}-ssn`;
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 900 }), fc.constantFrom(0, 1), (tokens, spaces) => {
        const held = {
          customer: { pin: 'zebra-9' },
          rows: Array.from({ length: 200 }, (_, row) => ({ of: 'x', ssn: ssn(row) })),
        };
        const content = clipObservation(JSON.stringify(held, null, spaces), tokens).content as string;
        const found = new Set(findSensitiveTexts(content, paths));
        for (const ssn of content.match(/1\d{5}-ssn/g) ?? []) expect(found).toContain(ssn);
        expect(found).toContain('zebra-9');
      }),
    );
  });

  it.each<[string, (size: number) => Json]>([
    ['deep', (size) => `${'{"a":'.repeat(size)}…`],
    ['full of quotes', (size) => `{"${'"'.repeat(size)}`],
    ['full of backslashes', (size) => `{"${'\\'.repeat(size)}`],
    ['full of spaces', (size) => `{"${' '.repeat(size)}"${' '.repeat(size)}`],
    ['full of numbers', (size) => `{"a":[${'1234567,'.repeat(size)}`],
    ['full of escapes', (size) => `{"${'x\\"'.repeat(size)}`],
    ['full of commas', (size) => `{"…${','.repeat(size)}`],
  ])('costs in proportion to a text that is %s', (_, of) => {
    const cost = (size: number) => {
      const held = of(size);
      return cpuCost(() => findSensitiveTexts(held, ['a.*', 'b']));
    };
    expect(cost(160_000) / cost(20_000)).toBeLessThan(8 * 4);
  });
});
