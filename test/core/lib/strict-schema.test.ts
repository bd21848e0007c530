/** JSON Schemas in the subset of strict modes, and the way back. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../src/core/lib/json.js';
import { removeNulls, toStrictSchema } from '../../../src/core/lib/strict-schema.js';

const toJson = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' }) as JsonObject;
const adapt = (schema: z.ZodType) => toStrictSchema(toJson(schema));
const nullable = (schema: JsonObject) => ({ anyOf: [schema, { type: 'null' }] });

describe('a strict schema', () => {
  it('has closed objects at all levels, with all members required', () => {
    expect(
      adapt(z.object({ city: z.object({ name: z.string() }), days: z.array(z.object({ rain: z.boolean() })) })),
    ).toEqual({
      type: 'object',
      properties: {
        city: {
          type: 'object',
          properties: { name: { type: 'string' } },
          required: ['name'],
          additionalProperties: false,
        },
        days: {
          type: 'array',
          items: {
            type: 'object',
            properties: { rain: { type: 'boolean' } },
            required: ['rain'],
            additionalProperties: false,
          },
        },
      },
      required: ['city', 'days'],
      additionalProperties: false,
    });
  });

  it('allows null for optional members, once', () => {
    const adapted = adapt(z.object({ a: z.string().optional(), b: z.string().nullish(), c: z.string().nullable() }));
    expect(adapted).toMatchObject({
      properties: { a: nullable({ type: 'string' }), b: nullable({ type: 'string' }), c: nullable({ type: 'string' }) },
      required: ['a', 'b', 'c'],
    });
  });

  it('states limits of values in the description, and keeps formats that all strict modes know', () => {
    const schema = z.object({
      cents: z.int().min(1).describe('What is due'),
      names: z.array(z.string().max(9)).min(2),
      mail: z.email(),
      link: z.url(),
    });
    expect(adapt(schema)?.properties).toMatchObject({
      cents: { type: 'integer', description: 'What is due (minimum: 1)' },
      names: { type: 'array', items: { type: 'string', description: '(maxLength: 9)' }, description: '(minItems: 2)' },
      mail: { type: 'string', format: 'email' },
      link: { type: 'string', description: '(format: "uri")' },
    });
    expect(JSON.stringify(adapt(schema))).not.toContain('pattern');
  });

  it('keeps choices and unions, and replaces references by their definitions', () => {
    const place = z.object({ x: z.number() }).meta({ id: 'Place' });
    const schema = z.object({
      kind: z.enum(['a', 'b']),
      from: place,
      to: place.describe('The end'),
      either: z.discriminatedUnion('is', [z.object({ is: z.literal('n') }), z.object({ is: z.literal('t') })]),
    });
    const adapted = adapt(schema);
    expect(adapted?.properties).toMatchObject({
      kind: { type: 'string', enum: ['a', 'b'] },
      from: { type: 'object', required: ['x'] },
      to: { type: 'object', required: ['x'], description: 'The end' },
      either: { anyOf: [{ properties: { is: { const: 'n' } } }, { properties: { is: { const: 't' } } }] },
    });
    expect(JSON.stringify(adapted)).not.toMatch(/\$ref|\$defs|oneOf/);
  });

  const tree: z.ZodType = z.object({
    name: z.string(),
    get children() {
      return z.array(tree);
    },
  });

  it.each<[string, z.ZodType]>([
    ['is not an object', z.array(z.string())],
    ['has members of any name', z.object({ by: z.record(z.string(), z.number()) })],
    ['takes more members', z.looseObject({ a: z.string() })],
    ['takes any value', z.object({ any: z.unknown() })],
    ['has tuples', z.object({ pair: z.tuple([z.string(), z.number()]) })],
    ['is recursive', z.object({ tree })],
    [
      'has optional members in one of several types',
      z.object({ u: z.union([z.object({ a: z.string().optional() }), z.string(), z.number()]) }),
    ],
    [
      'has more unions than providers allow',
      z.object(Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`m${at}`, z.string().optional()]))),
    ],
  ])('does not exist for a schema that %s', (_name, schema) => {
    expect(adapt(schema)).toBeNull();
  });
});

describe('nulls of a reply in strict mode', () => {
  const schema = z.object({
    note: z.string().optional(),
    left: z.string().nullish(),
    needed: z.string(),
    deep: z.object({ a: z.int().optional(), list: z.array(z.object({ b: z.string().optional() })) }).nullable(),
  });

  it('are removed where a member may be absent but not null', () => {
    const value = { note: null, left: null, needed: 'x', deep: { a: null, list: [{ b: null }, { b: 'y' }] } };
    const removed = removeNulls(value, toJson(schema));
    expect(removed).toEqual({ left: null, needed: 'x', deep: { list: [{}, { b: 'y' }] } });
    expect(schema.safeParse(removed).success).toBe(true);
  });

  it('stay where the schema allows or requires them', () => {
    const value = { needed: null, deep: null, other: null };
    expect(removeNulls(value, toJson(schema))).toEqual(value);
    expect(removeNulls([null, 'a'], toJson(schema))).toEqual([null, 'a']);
  });
});
