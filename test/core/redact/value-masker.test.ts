/** Sensitive texts are masked, however many there are, and no error contains one. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/core/redact/redactor.js';
import { createValueMasker } from '../../../src/core/redact/value-masker.js';
import { cpuCost } from '../../support/cpu-cost.js';

function createMasker(...sensitive: readonly string[]) {
  const masker = createValueMasker({
    text: (text) => text,
    value: (each) => `<${sensitive.indexOf(String(each))}>`,
  });
  for (const each of sensitive) masker.remember(each);
  return masker;
}

it('the summary of a result is masked whole where its tool has sensitive paths: none leads into it', () => {
  const { value } = createValueMasker(createRedactor());
  const summary = '[… summary of 9,000 bytes by small …]\nAnn earns 4,100 euros.';
  expect(value(summary, { paths: ['salary'] })).toBe('[redacted:field]');
  expect(value(summary)).toBe(summary);
});

describe('a text', () => {
  it('is masked where it is sensitive, also in JSON form; the longest first', () => {
    const { text } = createMasker('secret', 'secret one', 'some "hello"', '12345');
    expect(text('secret one, secret, secretsecret; 12345')).toBe('<1>, <0>, <0><0>; 12345');
    expect(text('some "hello" and {"of":"some \\"hello\\""}')).toBe('<2> and {"of":"<2>"}');
    expect(text('nothing of it')).toBe('nothing of it');
  });

  it('is cut where a long sensitive text begins, since only its beginning is searched for', () => {
    const long = `${'🙂'.repeat(200)} and on`;
    const { text } = createMasker(`x${long}`, 'secret');
    expect(text(`secret: x${long}, secret`)).toBe('<1>: <0>');
    expect(text(JSON.stringify(`x${long}`))).toBe('"<0>');
    expect(text(`x${long.slice(0, 100)}`)).toBe(`x${long.slice(0, 100)}`);
  });

  it('keeps its marks', () => {
    const { text, remembered } = createMasker('redacted', 'field]');
    expect(text('[redacted:field]')).toBe('[redacted:field]');
    expect(remembered.size).toBe(0);
  });

  it('is masked as if each sensitive text were searched for alone', () => {
    const some = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 6, maxLength: 9 });
    fc.assert(
      fc.property(
        fc.uniqueArray(some, { maxLength: 8 }),
        fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 }),
        (all, content) => {
          const longestFirst = [...all].sort((a, b) => b.length - a.length);
          let expected = '';
          for (let at = 0; at < content.length; ) {
            const found = longestFirst.find((each) => content.startsWith(each, at));
            expected += found === undefined ? content.charAt(at) : `<${all.indexOf(found)}>`;
            at += found?.length ?? 1;
          }
          expect(createMasker(...all).text(content)).toBe(expected);
        },
      ),
    );
  });
});

describe('a value', () => {
  const masker = () => createValueMasker(createRedactor());

  it('is masked at its sensitive paths, and a remembered text in it has the same mark as a text', () => {
    const { value, text, remember } = masker();
    remember('swordfish');
    expect(value({ pin: 'swordfish', content: 'It is swordfish.' }, { paths: ['pin'] })).toEqual({
      pin: '[redacted:field]',
      content: 'It is [redacted:field].',
    });
    expect(text('swordfish')).toBe('[redacted:field]');
  });

  it('contains no remembered text in the JSON of a member, in a name or in a number', () => {
    const { value, remember } = masker();
    for (const sensitive of ['two\nlines', '314159']) remember(sensitive);
    const held = { body: JSON.stringify({ of: 'two\nlines' }), 'two\nlines': 314159, more: [13141597] };
    for (const scope of [{}, { characters: 200 }]) {
      expect(JSON.stringify(value(held, scope))).not.toMatch(/two|314159/);
    }
  });

  it('is masked before it is cut to a snippet, and keeps its shape', () => {
    const { value } = masker();
    const long = { first: `${'x'.repeat(700)} a@example.com`, second: 'y'.repeat(1_000), third: 'z' };
    expect(value(long, { characters: 200 })).toEqual({
      first: `${'x'.repeat(700)} [redacted:email]`,
      second: expect.stringMatching(/^y{1,100}…$/),
    });
    expect(value({ pin: 1, list: [{ pin: 2 }] }, { paths: ['list.*.pin'], characters: 20 })).toEqual({
      pin: 1,
      list: [{ pin: '[redacted:field]' }],
    });
  });
});

it.each<[string, (at: number) => string]>([
  ['that differ', (at) => `${at}-${'words of it '.repeat(at % 9)}`],
  ['that begin alike', (at) => `https://example.org/${at}`],
  ['that are long', (at) => `${at}${'x'.repeat(5_000)}`],
])('a megabyte of values %s costs in proportion to them and to the text', (_, valueAt) => {
  const cost = (bytes: number) => {
    const values: string[] = [];
    for (let size = 0; size < bytes; size += values.at(-1)?.length ?? 0) values.push(valueAt(values.length + 100_000));
    const content = values
      .map((each) => `of ${each.slice(0, -1)}`)
      .join(' ')
      .slice(0, bytes);
    return cpuCost(() => {
      const { remember, text } = createValueMasker({ text: (content) => content, value: () => '*' });
      for (const value of values) remember(value);
      expect(text(`${content} ${values.at(-1)} `)).toContain('*');
    });
  };
  expect(cost(1_000_000) / cost(125_000)).toBeLessThan(8 * 4);
});
