/** JSON Schemas of drafts 07 and 2020-12: references, formats, and what makes a schema unusable. */

import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/core/lib/json.js';
import { createJsonValidator } from '../../../src/core/lib/json-schema.js';

const draft07 = 'http://json-schema.org/draft-07/schema#';
const draft2020 = 'https://json-schema.org/draft/2020-12/schema';

function check(schema: JsonObject | boolean, value: Json): readonly string[] {
  return createJsonValidator(schema)(value);
}

function isValid(schema: JsonObject | boolean, value: Json): boolean {
  return check(schema, value).length === 0;
}

describe('references', () => {
  it('ignores what a draft 07 schema has beside a $ref, an $id included', () => {
    const schema = {
      $schema: draft07,
      definitions: {
        number: { type: 'number' },
        other: { $id: 'http://example.com/other', definitions: { number: { type: 'string' } } },
      },
      allOf: [{ $id: 'http://example.com/other', $ref: '#/definitions/number', maximum: 3 }],
    };
    expect(isValid(schema, 5)).toBe(true);
    expect(isValid(schema, 'a')).toBe(false);
    expect(isValid({ $schema: draft2020, $ref: '#/$defs/a', maximum: 3, $defs: { a: true } }, 5)).toBe(false);
  });

  it('finds the definitions beside the $ref of a draft 07 document', () => {
    const schema = { $schema: draft07, $ref: '#/definitions/city', definitions: { city: { type: 'string' } } };
    expect([isValid(schema, 'Paris'), isValid(schema, 1)]).toEqual([true, false]);
  });

  it.each([draft07, draft2020])('validates schemas by the metaschema %s', ($ref) => {
    const schema = { properties: { schema: { $ref } } };
    expect(check(schema, { schema: { type: 'object', properties: { a: { minLength: 1 } } } })).toEqual([]);
    expect(check(schema, { schema: { type: 'object', properties: { a: { minLength: -1 } } } })).toHaveLength(1);
    expect(isValid(schema, { schema: { type: 'text' } })).toBe(false);
    expect(isValid(schema, { schema: { pattern: '(' } })).toBe(false);
  });

  it('finds targets beside the schema, also in lists', () => {
    const components = { User: { type: 'object', required: ['name'] }, all: [{ type: 'string' }] };
    const schema = {
      components,
      properties: { user: { $ref: '#/components/User' }, text: { $ref: '#/components/all/0' } },
    };
    expect(check(schema, { user: {}, text: 1 })).toEqual(['user: name is missing.', 'text: must be of type string.']);
  });

  it('takes no $id or $ref of an example for one of the schema', () => {
    const example = { id: 'u1', $id: 'u1', $ref: 'nowhere.json' };
    const member = (note: number) => ({ type: 'string', example: { ...example, note } });
    expect(check({ properties: { a: member(1), b: member(2) } }, { a: 1 })).toEqual(['a: must be of type string.']);
  });

  it('follows dynamic references to the anchor of the root', () => {
    const node = { $dynamicAnchor: 'node', type: 'object' };
    const tree = { ...node, $id: 'tree', properties: { children: { items: { $dynamicRef: '#node' } } } };
    const strict = { $id: 'http://example.com/strict', $dynamicAnchor: 'node', $ref: 'tree', required: ['data'] };
    const schema = { ...strict, $defs: { tree } };
    expect(isValid(schema, { data: 1, children: [{ data: 2 }] })).toBe(true);
    expect(isValid(schema, { data: 1, children: [{}] })).toBe(false);
    expect(isValid({ ...tree, required: ['data'] }, { data: 1, children: [{}] })).toBe(false);
  });
});

describe('formats', () => {
  it.each([
    ['ipv4', ['192.168.0.1', '0.0.0.0'], ['087.10.0.1', '256.1.1.1', '1.2.3']],
    [
      'idn-hostname',
      ['실례.테스트', 'a。b', 'xn--ihqwcrb4cv8a8dqg056pqjye', 'l·l', 'host-name'],
      ['', '-a', 'a·l', 'xn--x'],
    ],
    ['idn-hostname', ['क्‍ष', 'بي‌بي'], ['क‍ष', `a${'ü'.repeat(63)}`, 'XN--aa---o47jg78q', '〮실례', 'a b']],
    ['idn-email', ['실례@실례.테스트', 'a@b.example'], ['2962', '@b.example', 'a@-b']],
    [
      'url',
      ['https://a.example/b?c#d', 'http://größe.example'],
      ['mailto:a@b.example', 'http://', 'http://a b', 'a.b'],
    ],
    ['iri', ['http://ƒøø.ßår/?∂éœ=πîx#πîüx'], ['/abc', 'âππ', '\\\\WINDOWS\\filëßåré']],
    ['iri-reference', ['/âππ', '#ƒrägmênt'], ['#ƒräg\\mênt']],
  ] as const)('%s: %j, not %j', (format, valid, invalid) => {
    const schema = { type: 'string', format };
    expect(valid.filter((value) => !isValid(schema, value))).toEqual([]);
    expect(invalid.filter((value) => isValid(schema, value))).toEqual([]);
    expect(check(schema, invalid[0])).toEqual([`is not a valid ${format}.`]);
  });
});

it('checks a long url quickly', () => {
  const start = performance.now();
  expect(isValid({ format: 'url' }, `http://${'a'.repeat(5000)}!!`)).toBe(true);
  expect(isValid({ format: 'url' }, `http://${'a'.repeat(5000)}"`)).toBe(false);
  expect(performance.now() - start).toBeLessThan(2000);
});

it.each(['__proto__', 'hasOwnProperty', 'toString', 'credit-card', 5])('ignores the unknown format %s', (format) => {
  expect(check({ type: 'string', format }, 'a')).toEqual([]);
});

describe('schemas', () => {
  it('may be booleans', () => {
    expect([isValid(true, { a: 1 }), isValid(false, { a: 1 })]).toEqual([true, false]);
    expect(check({ properties: { a: false } }, { a: 1 })).toEqual(['a: is not expected.']);
  });

  it('may have `required` in members, as draft 3 had it', () => {
    expect(isValid({ properties: { a: { type: 'object', required: true } } }, { a: {} })).toBe(true);
  });

  it.each([
    [{ $ref: '#/$defs/nope' }, '$ref "#/$defs/nope" has no target within the schema'],
    [{ $ref: 'https://example.com/other.json' }, 'has no target within the schema'],
    [{ $ref: '#' }, '$ref "#" refers to itself'],
    [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, 'refers to itself'],
    [{ allOf: [{ $ref: '#' }] }, '$ref "#" refers to itself'],
    [{ $defs: { a: { anyOf: [true, { not: { $ref: '#/$defs/a' } }] } } }, '$ref "#/$defs/a" refers to itself'],
    [{ dependentSchemas: { a: { $ref: '#' } } }, '$ref "#" refers to itself'],
    [{ properties: { a: { pattern: '(' } } }, '#/properties/a/pattern is not a valid regular expression: "("'],
    [{ patternProperties: { '[': true } }, '#/patternProperties is not a valid regular expression: "["'],
    [{ properties: { 'a/b': 5 } }, '#/properties/a~1b must be an object or a boolean'],
    [{ properties: [] }, '#/properties must be an object'],
    [{ required: 'a' }, '#/required must be a list'],
    [{ anyOf: {} }, '#/anyOf must be a list'],
    [{ enum: 'a' }, '#/enum must be a list'],
  ] as const)('%j is not usable', (schema, message) => {
    expect(() => createJsonValidator(schema)).toThrow(message);
  });
});

it('patterns may escape characters that need no escape, as other languages do', () => {
  const validate = createJsonValidator({ type: 'string', pattern: '^[\\w\\-]+\\_\\d+\\\\$' });
  expect(validate('a-b_1\\')).toEqual([]);
  expect(validate('a-b1')).toEqual(['must match the pattern ^[\\w\\-]+\\_\\d+\\\\$.']);
});

/** Schemas of 30 levels, each made of the one within it. */
function nest(innermost: JsonObject, wrap: (inner: JsonObject, level: number) => JsonObject): JsonObject {
  return Array.from({ length: 30 }).reduce<JsonObject>((inner, _, level) => wrap(inner, level), innermost);
}

describe('schemas that take too long', () => {
  it('are rejected quickly', () => {
    const start = performance.now();
    const ids = nest({ type: 'string' }, (a, level) => ({ $id: `http://a.example/${level}`, properties: { a } }));
    expect(() => createJsonValidator(ids)).toThrow('/a has a $id within 4 others');
    const twice = Array.from({ length: 30 }, (_, level) => {
      const $ref = `#/$defs/a${level + 1}`;
      return [`a${level}`, { allOf: [{ $ref }, { $ref }] }] as const;
    });
    const doubled = { $ref: '#/$defs/a0', $defs: { ...Object.fromEntries(twice), a30: { type: 'string' } } };
    expect(() => createJsonValidator(doubled)).toThrow('more than 10000 schemas apply to one value');
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('are no deep ones, nor those that refer to themselves for what is within a value', () => {
    const deep = nest({ type: 'string' }, (a) => ({ allOf: [{ properties: { a } }] }));
    expect(check(deep, { a: { a: 1 } })).toEqual([]);
    const tree = { type: 'object', anyOf: [{ properties: { left: { $ref: '#' } } }, { items: { $ref: '#' } }] };
    expect([isValid(tree, { left: { left: {} } }), isValid({ allOf: [tree] }, { left: 1 })]).toEqual([true, true]);
    const ids = { $id: 'http://a.example/a', $defs: { b: { $id: 'b', $defs: { c: { $id: 'c', type: 'string' } } } } };
    expect(check({ ...ids, $ref: 'c' }, 1)).toHaveLength(1);
  });
});

it.each([['properties'], ['x-parts']])(
  'finds targets beside the schema that are within each other, in %s',
  (members) => {
    const schemas = { A: { type: 'object', [members]: { b: { type: 'string' } }, required: ['b'] } };
    const inner = { $ref: `#/components/schemas/A/${members}/b` };
    const schema = { components: { schemas }, properties: { x: inner, y: { $ref: '#/components/schemas/A' } } };
    expect(check(schema, { x: 1, y: {} })).toEqual(['x: must be of type string.', 'y: b is missing.']);
  },
);

describe('problems', () => {
  it('are all reported, at every depth', () => {
    const schema = { properties: { a: { type: 'number' } }, required: ['b', 'c'], additionalProperties: false };
    expect(check(schema, { a: 'x', d: 1 })).toEqual([
      'b is missing.',
      'c is missing.',
      'a: must be of type number.',
      'd: is not expected.',
    ]);
    expect(check({ items: { $ref: '#/$defs/a' }, $defs: { a: schema } }, [{ a: 'x', b: 1 }, { c: 1 }])).toHaveLength(5);
  });

  it('have no sentence for the schemas around them', () => {
    const no = { type: 'object', required: ['b'] };
    expect(check({ if: false, else: no, dependentSchemas: { a: no } }, { a: 1 })).toEqual([
      'b is missing.',
      'b is missing.',
    ]);
    expect(check({ allOf: [{ properties: { a: { $ref: '#/$defs/no' } } }], $defs: { no: false } }, { a: 1 })).toEqual([
      'a: is not expected.',
    ]);
    expect(check({ anyOf: [{ type: 'string' }, false] }, 1)).toEqual(['must be of type string.', 'is not expected.']);
  });

  it('of a choice are those of the part that the value matches best', () => {
    const choice = { anyOf: [{ type: 'null' }, { type: 'object', properties: { name: { type: 'string' } } }] };
    const schema = { properties: { one: choice, two: choice }, required: ['three'] };
    expect(check(schema, { one: { name: 1 }, two: 1 })).toEqual([
      'three is missing.',
      'one.name: must be of type string.',
      'two: must be of type null.',
      'two: must be of type object.',
    ]);
  });

  it('have places and limits with any letters', () => {
    const schema = { properties: { größe: { maximum: 3 }, 'a/b': { maximum: 3 }, '50%~#': { maximum: 3 } } };
    expect(check(schema, { größe: 5, 'a/b': 5, '50%~#': 5 })).toEqual([
      'größe: must be at most 3.',
      'a/b: must be at most 3.',
      '50%~#: must be at most 3.',
    ]);
    const referring = { properties: { a: { $ref: '#/$defs/100%' } }, $defs: { '100%': { maximum: 3 } } };
    expect(check(referring, { a: 5 })).toEqual(['a: must be at most 3.']);
  });

  it('are reported quickly, the first 100', () => {
    const start = performance.now();
    const problems = check(
      { items: { type: 'string' } },
      Array.from({ length: 20_000 }, (_, at) => at),
    );
    expect(performance.now() - start).toBeLessThan(5000);
    expect(problems).toHaveLength(101);
    expect(problems.slice(-2)).toEqual(['99: must be of type string.', '19900 more problems are left out.']);
  });
});
