/**
 * Validates JSON by a JSON Schema of draft 4 to 2020-12, and describes what the schema rejects as sentences for people and models: the
 * validator's own do not name the limits. Formats are checked. Pure: references to other documents are not loaded.
 */

import { type OutputUnit, type SchemaDraft, validate } from '@cfworker/json-schema';
import { copySchema } from './copy-schema.js';
import { isObject, type Json, type JsonObject } from './json.js';
import { findPart, splitPointer } from './json-pointer.js';
import { linkReferences } from './link-references.js';
import { selectProblems } from './select-problems.js';
import { completeFormats } from './string-formats.js';

/**
 * Returns a sentence for each problem, with its place: `cents: must be greater than 0.` Empty for a valid value. After 100 problems, a
 * sentence counts the others.
 *
 * @throws {Error} where the value is nested too deep for the validator, or has names that are no text in Unicode
 */
export type JsonValidator = (value: Json) => readonly string[];

/** A model reads them. */
const maxProblems = 100;

completeFormats();

/**
 * @throws {Error} where the schema has a reference without a target or one to itself, a pattern that is not a regular expression, or
 *   a keyword of the wrong type, such as `required` that is not a list
 */
export function createJsonValidator(source: JsonObject | boolean): JsonValidator {
  const draft = getDraft(source);
  // The validator adds members to the schema.
  const schema = copySchema(source, draft);
  const targets = linkReferences(schema, source, draft);
  return (value) => {
    const { valid, errors } = validate(value, schema, draft, targets, false);
    if (valid) return [];
    const selected = selectProblems(errors);
    const problems = selected.length === 0 ? errors : selected;
    const sentences = problems.slice(0, maxProblems).map((problem) => formatProblem(source, problem));
    const more = problems.length - sentences.length;
    return more === 0
      ? sentences
      : [...sentences, `${more} more ${more === 1 ? 'problem is' : 'problems are'} left out.`];
  };
}

/** The draft that `$schema` names; 2020-12 where it names none, as MCP and OpenAPI 3.1 have it. */
function getDraft(schema: JsonObject | boolean): SchemaDraft {
  const dialect = isObject(schema) && typeof schema.$schema === 'string' ? schema.$schema : '';
  const [, draft] = /draft-0([467])\b/.exec(dialect) ?? [];
  if (draft !== undefined) return draft === '4' ? '4' : '7';
  return dialect.includes('2019-09') ? '2019-09' : '2020-12';
}

function formatProblem(schema: JsonObject | boolean, problem: OutputUnit): string {
  const limit = findAt(schema, problem.keywordLocation);
  if (problem.keyword === 'false') return `${formatPlace(problem.instanceLocation)}is not expected.`;
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
  enum: (limit) => `must be one of ${Array.isArray(limit) ? limit.map((item) => JSON.stringify(item)).join(', ') : ''}`,
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

/** Returns the value at a place such as `#/properties/cents/$ref/minimum`, through references such as `#/$defs/cents`. */
function findAt(schema: JsonObject | boolean, location: string): Json | undefined {
  return splitPointer(location).reduce<Json | undefined>((at, name) => {
    const reference = name === '$ref' && isObject(at) ? at.$ref : undefined;
    return typeof reference === 'string' && reference.startsWith('#/') ? findAt(schema, reference) : findPart(at, name);
  }, schema);
}

/** Formats `#/user/name` as `user.name: `. */
function formatPlace(location: string): string {
  const path = splitPointer(location).join('.');
  return path === '' ? '' : `${path}: `;
}
