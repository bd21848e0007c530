/** T1, T2: a step in one line, by its tool's template or in words that fit any tool. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/lib/json.js';
import { maxSummaryLength } from '../../../src/core/model/stored-content.js';
import { describeStep, fillTemplate, toSummaryLine, validateTemplate } from '../../../src/core/view/summary-text.js';
import { call, noticed, result, synthesis, thought } from '../../support/some-reasoning.js';

describe('a template', () => {
  const found: Json = {
    table: 'sales',
    rowCount: 1247,
    rows: [{ of: 'Q4' }],
    share: 1234.5678,
    done: true,
    none: null,
    user: { name: 'Ann' },
  };
  it.each([
    ['Queried {table}, returned {rowCount} rows', 'Queried sales, returned 1,247 rows'],
    ['{rows.length} of {rows.0.of} for {user.name}: { done }', '1 of Q4 for Ann: true'],
    ['{share}', '1,234.5678'],
    ['no member at all', 'no member at all'],
  ])('%s', (template, line) => {
    expect(fillTemplate(template, [found])).toBe(line);
  });

  it.each([
    '{missing}',
    '{none}',
    '{user}',
    '{rows}',
    '{constructor}',
    '{rows.constructor}',
    '{user.name.length}',
    '{rows.9.of}',
    '{table',
    '{}',
    '{ }',
    'a } b',
  ])('T1: is not used with a gap in it: %s', (template) => {
    expect(fillTemplate(template, [found])).toBeNull();
  });

  it('takes members from the result first, then from the arguments', () => {
    expect(fillTemplate('{table} {city}', [{ table: 'b' }, { table: 'a', city: 'Paris' }])).toBe('b Paris');
  });

  it('is rejected where no value can fill it', () => {
    expect(validateTemplate('{table}')).toBeNull();
    expect(validateTemplate('{}')).toBe('has empty braces; expected a member name');
    expect(validateTemplate('{a')).toBe('has an unmatched brace');
  });

  it('T1: results in a line without braces or in null, for every template and value', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', 'a', '.', ' ', '0') }),
        fc.jsonValue(),
        (template, value) => {
          const line = fillTemplate(template, [value as Json]);
          const texts = typeof value === 'object' ? [] : [String(value)];
          if (line !== null && texts.length === 0 && !JSON.stringify(value).match(/[{}]"|"[^"]*[{}]/))
            expect(line).not.toMatch(/[{}]/);
        },
      ),
    );
  });
});

describe('a step without a template', () => {
  it.each([
    [thought(1, 'secret'), 'Thinking'],
    [{ ...thought(1, ''), problem: 'No action.' }, 'A reply could not be read'],
    [call('1.1', 'weather', {}), 'Called weather'],
    [call('1.1', 'weather', {}, { status: 'pending' }), 'Calling weather'],
    [call('1.1', 'weather', {}, { status: 'not_run' }), 'weather was not run'],
    [result('1.1', 'weather', 18), 'weather answered'],
    [result('1.1', 'weather', 18, { status: 'reused' }), 'weather answered as before'],
    [result('1.1', 'weather', 18, { status: 'error' }), 'weather failed'],
    [result('1.1', 'weather', 18, { status: 'unknown' }), 'The outcome of weather is unknown'],
    [synthesis(1, '42'), 'Answered'],
    [noticed(1, 'limit_reached', 'The limit of 10 steps was reached.'), 'A limit was reached'],
  ])('%#: %s', (step, line) => {
    expect(describeStep(step, null, [])).toBe(line);
  });

  it('uses the template only where the call was answered', () => {
    const template = 'It is {celsius} degrees';
    const at18 = [{ celsius: 18 }];
    expect(describeStep(result('1.1', 'weather', at18[0] ?? null), template, at18)).toBe('It is 18 degrees');
    expect(describeStep(result('1.1', 'weather', at18[0] ?? null, { status: 'error' }), template, at18)).toBe(
      'weather failed',
    );
    expect(describeStep(result('1.1', 'weather', {}), template, [{}])).toBe('weather answered');
  });
});

it('a summary is one short line for every text', () => {
  expect(toSummaryLine(' a\n\tb\u0000c ')).toBe('a b c');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
      const line = toSummaryLine(text);
      expect(line.length).toBeLessThanOrEqual(maxSummaryLength);
      expect(line).not.toMatch(/[\n\r\t]/);
    }),
  );
});
