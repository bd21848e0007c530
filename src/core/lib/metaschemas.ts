/** The schemas of JSON Schema itself, to which others may refer: drafts 07 and 2020-12, each as one document. */

import type { JsonObject } from './json.js';

const self: JsonObject = { $ref: '#' };
const text: JsonObject = { type: 'string' };
const schemaMap: JsonObject = { type: 'object', additionalProperties: self };
const patternMap: JsonObject = { ...schemaMap, propertyNames: { format: 'regex' } };

function createMetaschema($id: string, $schema: string, definitions: string, properties: JsonObject): JsonObject {
  const refer = (name: string): JsonObject => ({ $ref: `#/${definitions}/${name}` });
  const toMembers = (names: readonly string[], value: JsonObject) =>
    Object.fromEntries(names.map((name) => [name, value]));
  const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
  const counts = ['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'];
  const numbers = ['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'];
  const schemas = ['additionalProperties', 'propertyNames', 'contains', 'if', 'then', 'else', 'not'];
  return {
    $id,
    $schema,
    type: ['object', 'boolean'],
    [definitions]: {
      schemaArray: { type: 'array', minItems: 1, items: self },
      nonNegativeInteger: { type: 'integer', minimum: 0 },
      nonNegativeIntegerDefault0: { $ref: `#/${definitions}/nonNegativeInteger` },
      simpleTypes: { enum: types },
      stringArray: { type: 'array', items: text, uniqueItems: true },
    },
    properties: {
      $schema: { type: 'string', format: 'uri' },
      $ref: { type: 'string', format: 'uri-reference' },
      ...toMembers(['$comment', 'title', 'description', 'format', 'contentMediaType', 'contentEncoding'], text),
      ...toMembers(['readOnly', 'writeOnly', 'uniqueItems'], { type: 'boolean' }),
      examples: { type: 'array' },
      multipleOf: { type: 'number', exclusiveMinimum: 0 },
      ...toMembers(numbers, { type: 'number' }),
      ...toMembers(counts, refer('nonNegativeInteger')),
      pattern: { type: 'string', format: 'regex' },
      required: refer('stringArray'),
      ...toMembers(schemas, self),
      ...toMembers(['definitions', 'properties'], schemaMap),
      patternProperties: patternMap,
      dependencies: { type: 'object', additionalProperties: { anyOf: [self, refer('stringArray')] } },
      type: { anyOf: [refer('simpleTypes'), { ...refer('stringArray'), minItems: 1, items: refer('simpleTypes') }] },
      ...toMembers(['allOf', 'anyOf', 'oneOf'], refer('schemaArray')),
      enum: { type: 'array' },
      ...properties,
    },
  };
}

const draft07 = 'http://json-schema.org/draft-07/schema';
const draft2020 = 'https://json-schema.org/draft/2020-12/schema';
const anchor: JsonObject = { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' };
const strings: JsonObject = { $ref: '#/$defs/stringArray' };

/** By address. */
export const metaschemas: { readonly [address: string]: JsonObject } = {
  [draft07]: createMetaschema(draft07, draft2020, 'definitions', {
    $id: { type: 'string', format: 'uri-reference' },
    additionalItems: self,
    items: { anyOf: [self, { $ref: '#/definitions/schemaArray' }] },
  }),
  [draft2020]: createMetaschema(draft2020, draft2020, '$defs', {
    $id: { type: 'string', format: 'uri-reference', pattern: '^[^#]*#?$' },
    ...{ $anchor: anchor, $dynamicAnchor: anchor },
    ...{ $dynamicRef: { type: 'string', format: 'uri-reference' }, $vocabulary: { type: 'object' } },
    ...{ $defs: schemaMap, dependentSchemas: schemaMap },
    dependentRequired: { type: 'object', additionalProperties: strings },
    ...{ items: self, prefixItems: { $ref: '#/$defs/schemaArray' } },
    ...{ unevaluatedItems: self, unevaluatedProperties: self, contentSchema: self },
    ...{ minContains: { type: 'integer', minimum: 0 }, maxContains: { type: 'integer', minimum: 0 } },
    deprecated: { type: 'boolean' },
  }),
};
