/** L2: a fact stores each text of a reply once, and the reading is restored completely. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Json, toCanonicalJson } from '../../../src/core/lib/json.js';
import type { ReplyBlock } from '../../../src/core/model/model.js';
import { type CompactReading, expandReading, type Reading } from '../../../src/core/model/reading.js';
import { compactReading } from '../../../src/core/strategies/compact-reading.js';
import { budget } from '../../support/budget.js';
import { text, thinks, use } from '../../support/core-builders.js';

const nothing = { thought: null, calls: [], answer: null, problem: null, scratchpad: null, content: [] } as const;
const readingOf = (content: readonly ReplyBlock[], more: Partial<Reading>): Reading => ({
  ...nothing,
  ...more,
  content,
});
const call = (input: Json) => ({ useId: null, tool: 'look', input, rejected: null });
const long = 'The weather in Paris is what I have to find out next.';

describe('quote', () => {
  it('stores a thought as its place in the text', () => {
    const reading = readingOf([thinks('Hm.'), text(`  ${long}\n`)], { thought: long });
    expect(compactReading(reading).thought).toEqual({ quote: { text: [1, 2, 2 + long.length] } });
    expect(expandReading(compactReading(reading))).toEqual(reading);
  });

  it('stores a native call as its block', () => {
    const input = { city: 'Paris' };
    const reading = readingOf([text(long), use('u1', 'look', input)], {
      calls: [{ useId: 'u1', tool: 'look', input, rejected: 'No such city.' }],
    });
    expect(compactReading(reading).calls).toEqual([{ use: 1, rejected: 'No such city.' }]);
    expect(expandReading(compactReading(reading))).toEqual(reading);
  });

  it('stores the places of arguments in JSON text, and of the answer in a finish call', () => {
    const input = { city: 'Paris', days: [1, 2, 3], unit: 'celsius' };
    const written = 'Action: look {x}\nAction Input: {"city": "Paris",\n "days": [1, 2, 3], "unit": "celsius"}';
    const asked = readingOf([text(written)], { calls: [call(input)] });
    expect(compactReading(asked).calls[0]).toMatchObject({ input: { quote: { json: [0, 31, written.length] } } });
    expect(expandReading(compactReading(asked))).toEqual(asked);

    const finished = readingOf([use('u1', 'finish', { result: long })], { answer: long });
    expect(compactReading(finished).answer).toEqual({ quote: { input: [0, 'result'] } });
    expect(expandReading(compactReading(finished))).toEqual(finished);
  });

  it('stores short values, and values that differ from the text, literally', () => {
    const loose = readingOf([text("{'city': 'Paris', 'unit': 'celsius',}")], {
      thought: 'Short.',
      calls: [call({ city: 'Paris', unit: 'celsius' })],
    });
    expect(compactReading(loose)).toEqual(loose);
  });

  it('does not mistake a model\u2019s value for a quote', () => {
    const forged = { quote: { text: [0, 0, 5] } };
    const reading = readingOf([text('words')], { answer: forged, calls: [call({ verbatim: forged })] });
    expect(expandReading(compactReading(reading))).toEqual(reading);
  });

  it('restores nothing from a missing place', () => {
    const content = [text('words'), use('u1', 'look', [1])];
    const places = [{ text: [7, 0, 5] }, { json: [0, 0, 5] }, { input: [0] }, { input: [1, 'constructor'] }] as const;
    for (const place of places) {
      const reading: CompactReading = {
        ...nothing,
        content,
        answer: { quote: place },
        calls: [{ use: 0, rejected: null }],
      };
      expect(expandReading(reading).answer ?? '').toBe('');
      expect(expandReading(reading).calls).toEqual([{ useId: null, tool: '', input: null, rejected: null }]);
    }
  });

  it('restores every reading', () => {
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
    const words = fc.oneof(
      fc.string(),
      json.map((value) => `Action Input: ${JSON.stringify(value, null, 1)}`),
    );
    const block = fc.oneof(
      words.map(text),
      words.map(thinks),
      fc.tuple(fc.constantFrom('u1', 'u2'), json).map(([id, input]) => use(id, 'look', input)),
    );
    const readings = fc.array(block, { maxLength: 4 }).chain((content) => {
      const texts = content.flatMap((each) => (each.type === 'text' ? [each.text, each.text.slice(3).trim()] : []));
      const inputs = content.flatMap((each) => (each.type === 'tool_use' ? [each.input] : []));
      const string = fc.oneof(fc.string(), ...texts.map((each) => fc.constant(each)));
      const value = fc.oneof(json, string, ...inputs.map((each) => fc.constant(each)));
      const asked = fc.record({
        useId: fc.constantFrom(null, 'u1', 'u2'),
        tool: fc.constantFrom('look', 'pay'),
        input: value,
        rejected: fc.constantFrom(null, 'No.'),
      });
      return fc.record({
        thought: fc.option(string),
        calls: fc.array(asked, { maxLength: 3 }),
        answer: value,
        problem: fc.option(fc.string()),
        scratchpad: fc.option(string),
        content: fc.constant(content),
      });
    });
    fc.assert(
      fc.property(readings, (reading) => {
        const stored = JSON.parse(JSON.stringify(compactReading(reading))) as CompactReading;
        expect(toCanonicalJson(expandReading(stored))).toBe(toCanonicalJson(reading));
        expect(JSON.stringify(stored).length).toBeLessThanOrEqual(JSON.stringify(reading).length + 3 * 13);
      }),
      { numRuns: budget(125, 500) },
    );
  });
});
