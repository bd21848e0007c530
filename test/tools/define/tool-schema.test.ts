/** Tools with schemas that are not of zod: JSON Schemas, and those of other libraries. */

import { type } from 'arktype';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineTool, fromJsonSchema, type JsonObject } from '../../../src/index.js';

const city = fromJsonSchema<{ readonly city: string; readonly days?: number }>({
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2, sensitive: true },
    days: { $ref: '#/definitions/days' },
    until: { type: 'string', format: 'date' },
  },
  required: ['city'],
  additionalProperties: false,
  definitions: { days: { type: 'integer', maximum: 7 } },
});

const forecast = defineTool({
  name: 'forecast',
  description: 'The weather of the next days',
  inputSchema: city,
  effects: 'read',
  execute: (input) => {
    expectTypeOf(input.city).toEqualTypeOf<string>();
    return `${input.days ?? 1} days of rain in ${input.city}`;
  },
});

describe('a JSON Schema', () => {
  it('validates the arguments, with references and formats, and types them', async () => {
    expect(await forecast.execute({ city: 'Paris', days: 3 })).toBe('3 days of rain in Paris');
    expect(forecast.validateInput({ city: 'P', days: 8, until: 'soon', more: 1 })?.split('\n')).toEqual([
      'city: must have at least 2 characters',
      'days: must be at most 7',
      'until: is not a valid date',
      'more: is not expected',
    ]);
    await expect(forecast.execute({ city: '' })).rejects.toMatchObject({ code: 'invalid_arguments' });
  });

  it('is what the model sees, without the dialect and the marks of sensitive values', () => {
    const { inputSchema, view } = forecast.snapshot;
    expect(inputSchema.$schema).toBeUndefined();
    expect(inputSchema.properties).toMatchObject({ city: { type: 'string', minLength: 2 } });
    expect(JSON.stringify(inputSchema)).not.toContain('sensitive');
    expect(view.sensitive).toEqual(['city']);
  });

  it.each<[JsonObject, string]>([
    [
      { type: 'object', properties: { a: { $ref: '#/definitions/none' } } },
      '$ref "#/definitions/none" has no target within the schema',
    ],
    [{ $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }, 'is too old. Use draft 6 to 2020-12.'],
    [{ $ref: '#' }, '$ref "#" refers to itself'],
  ])('that can validate nothing is rejected: %j', (schema, problem) => {
    expect(() => fromJsonSchema(schema)).toThrow(problem);
  });
});

describe('a schema of another library', () => {
  it('validates and converts the arguments', async () => {
    const add = defineTool({
      name: 'add',
      description: 'Adds two numbers',
      inputSchema: type({ a: 'number', b: 'number > 0', 'note?': 'string' }),
      outputSchema: type({ sum: 'number' }),
      effects: 'pure',
      execute: ({ a, b }) => ({ sum: a + b }),
    });
    expect(add.snapshot.inputSchema).toMatchObject({ type: 'object', required: ['a', 'b'] });
    expect(add.snapshot.returns).toContain('"sum"');
    expect(add.validateInput({ a: 1, b: 0 })).toBe('b: b must be positive (was 0)');
    expect(await add.execute({ a: 1, b: 2 })).toEqual({ sum: 3 });
  });

  it('that validates asynchronously rejects its values', () => {
    const schema = fromJsonSchema({ type: 'object' });
    const late = { '~standard': { ...schema['~standard'], validate: async () => ({ value: {} }) } };
    const slow = defineTool({ name: 'slow', description: 'x', inputSchema: late, effects: 'read', execute: () => 1 });
    expect(slow.validateInput({})).toContain('asynchronously');
  });
});
