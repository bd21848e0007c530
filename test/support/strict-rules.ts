/** The schemas that the strict modes of APIs reject: what any of them rejects. */

import { isObject } from '../../src/core/lib/json.js';
import type { Json, JsonObject } from '../../src/index.js';

const keywords = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'enum',
  'const',
  'description',
  'format',
  'minItems',
]);

/** Returns the first fault of a schema, or null. */
export function findStrictFault(schema: JsonObject): string | null {
  return schema.type === 'object' ? findFault(schema, '') : 'schema must be a JSON Schema of \'type: "object"\'';
}

function findFault(schema: Json | undefined, at: string): string | null {
  if (!isObject(schema)) return `In context=(${at}), schema must be an object.`;
  const unknown = Object.keys(schema).find((name) => !keywords.has(name));
  if (unknown !== undefined) return `In context=(${at}), '${unknown}' is not permitted.`;
  const children: [string, Json | undefined][] = [];
  if (schema.type === 'object') {
    const { properties, required, additionalProperties } = schema;
    if (additionalProperties !== false)
      return `In context=(${at}), 'additionalProperties' is required to be supplied and to be false.`;
    if (!isObject(properties)) return `In context=(${at}), 'properties' is required.`;
    const missing = Object.keys(properties).find((name) => !Array.isArray(required) || !required.includes(name));
    if (missing !== undefined)
      return `In context=(${at}), 'required' is required to include every key in properties. Missing '${missing}'.`;
    children.push(...Object.entries(properties));
  }
  if (schema.type === 'array') children.push(['items', schema.items]);
  if (Array.isArray(schema.anyOf)) children.push(...schema.anyOf.map((each): [string, Json] => ['anyOf', each]));
  for (const [name, child] of children) {
    const fault = findFault(child, `${at}/${name}`);
    if (fault !== null) return fault;
  }
  return null;
}
