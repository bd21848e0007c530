/** People answer with texts: each is read as what the schema of the question needs. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { readAnswer } from '../../../../src/core/engine/approvals/question-answer.js';
import type { JsonObject } from '../../../../src/index.js';

const read = (schema: z.ZodType, given: string) =>
  readAnswer({ schema: z.toJSONSchema(schema, { io: 'input' }) as JsonObject }, given);

it.each([
  [z.string(), '5', '5'],
  [z.number(), '5', 5],
  [z.number().nullable(), '5', 5],
  [z.boolean(), 'Yes', true],
  [z.boolean(), 'no', false],
  [z.array(z.string()), '["a"]', ['a']],
  [z.object({ seat: z.enum(['aisle', 'window']) }), 'aisle', { seat: 'aisle' }],
  [z.object({ seat: z.enum(['aisle', 'window']) }), '{"seat":"window"}', { seat: 'window' }],
  [z.object({ sure: z.boolean() }), 'yes', { sure: true }],
  [z.object({ n: z.number().nullable() }), '5', { n: 5 }],
  [z.object({}), 'yes', {}],
  [z.object({ a: z.string(), b: z.number() }), '{"a":"x","b":1}', { a: 'x', b: 1 }],
  [
    z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
    '{"k":"b"}',
    { k: 'b' },
  ],
])('%#: %s', (schema, given, value) => {
  expect(read(schema, given)).toEqual({ value });
});

it.each([
  [z.number(), 'five'],
  [z.boolean(), 'maybe'],
  [z.object({}), 'no'],
  [z.object({ seat: z.enum(['aisle', 'window']) }), 'middle'],
  [z.object({ a: z.string(), b: z.number() }), 'x'],
])('%#: %s is invalid', (schema, given) => {
  expect(read(schema, given)).toEqual({ problem: expect.stringMatching(/./) });
});

it('without a schema, an answer is a text', () => {
  expect(readAnswer({}, 'blue')).toEqual({ value: 'blue' });
  expect(readAnswer({}, { a: 1 })).toEqual({ value: '{"a":1}' });
});
