/** What a JSON Schema rejects, as a sentence for people: the validator's own sentences do not name the limits. */

import type { OutputUnit } from '@cfworker/json-schema';
import { isObject, type Json, type JsonObject } from '../lib/json.js';

/** Returns `cents: must be greater than 0.` */
export function formatSchemaProblem(schema: JsonObject, problem: OutputUnit): string {
  const limit = findAt(schema, problem.keywordLocation);
  const describe = texts[problem.keyword];
  const text = describe === undefined || limit === undefined ? problem.error : `${describe(limit, problem.error)}.`;
  return `${formatPlace(problem.instanceLocation)}${text}`;
}

/** By keyword, with its value in the schema. */
const texts: Readonly<Record<string, (limit: Json, error: string) => string>> = {
  required: (_, error) => `${/"(.*)"/.exec(error)?.[1] ?? 'a member'} is missing`,
  type: (limit) => `must be of type ${Array.isArray(limit) ? limit.join(' or ') : String(limit)}`,
  format: (limit) => `is not a valid ${String(limit)}`,
  pattern: (limit) => `must match the pattern ${String(limit)}`,
  enum: (limit) => `must be one of ${Array.isArray(limit) ? limit.map((each) => JSON.stringify(each)).join(', ') : ''}`,
  const: (limit) => `must be ${JSON.stringify(limit)}`,
  minimum: (limit) => `must be at least ${String(limit)}`,
  maximum: (limit) => `must be at most ${String(limit)}`,
  exclusiveMinimum: (limit) => `must be greater than ${String(limit)}`,
  exclusiveMaximum: (limit) => `must be less than ${String(limit)}`,
  multipleOf: (limit) => `must be a multiple of ${String(limit)}`,
  minLength: (limit) => `must have at least ${String(limit)} characters`,
  maxLength: (limit) => `must have at most ${String(limit)} characters`,
  minItems: (limit) => `must have at least ${String(limit)} items`,
  maxItems: (limit) => `must have at most ${String(limit)} items`,
};

/** Returns the value at a place such as `#/properties/cents/exclusiveMinimum`; undefined where a reference is in the way. */
function findAt(schema: JsonObject, location: string): Json | undefined {
  const names = location.replace(/^#\/?/, '').split('/');
  return names.reduce<Json | undefined>((at, name) => {
    const plain = name.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) return at[Number(plain)];
    return isObject(at) ? (at as JsonObject)[plain] : undefined;
  }, schema);
}

/** Formats `#/user/name` as `user.name: `. */
function formatPlace(location: string): string {
  const path = location.replace(/^#\/?/, '').replaceAll('/', '.');
  return path === '' ? '' : `${path}: `;
}
