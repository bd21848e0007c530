/**
 * Validates how a tool is shown to people: its author's `view`, and the marks in its schema. The model does not see it.
 */

import { check, findAtPointer, findOwn, isObject, type Json, type JsonObject, toList } from '../../core/lib/index.js';
import { type ToolView, validateBlockRule } from '../../core/model/index.js';
import { isValidPath, toPathParts } from '../../core/redact/index.js';
import { validateTemplate } from '../../core/view/index.js';
import type { DefinitionErrorFactory } from './definition-error.js';

/** The mark in a schema's metadata: `z.string().meta({ sensitive: true })`. */
export const sensitiveMark = 'sensitive';

/** Returns the author's view, with the sensitive paths that the schema marks. */
export function createToolView(
  view: ToolView | undefined,
  schema: JsonObject,
  createError: DefinitionErrorFactory,
): ToolView {
  const rules = view === undefined ? {} : checkView(view, createError);
  const sensitive = [...new Set([...(rules.sensitive ?? []), ...listMarkedPaths(schema, createError)])];
  return { ...rules, ...(sensitive.length > 0 ? { sensitive } : {}) };
}

const checks: { readonly [member in keyof Required<ToolView>]: (value: unknown) => string | null } = {
  level: validateLevel,
  childChain: validateLevel,
  summary: validateLine,
  request: validateLine,
  response: validateLine,
  block: validateBlockRule,
  why: validateLine,
  sensitive: (value) =>
    Array.isArray(value) && value.every(isPath) ? null : "must be paths, such as 'user.ssn', 'items.*.price'",
};

function checkView(view: ToolView, createError: DefinitionErrorFactory): ToolView {
  if (!isObject(view)) throw createError("`view` must be an object, such as { level: 'summary' }.");
  const pairs = Object.entries(view).filter(([, value]) => value !== undefined);
  for (const [member, value] of pairs) {
    const validate = findOwn<(value: unknown) => string | null>(checks, member);
    if (validate === undefined)
      throw createError(`\`view\` has no member \`${member}\`; it has ${Object.keys(checks).join(', ')}.`);
    const problem = validate(value);
    if (problem !== null) throw createError(`\`view.${member}\` ${problem}.`);
  }
  return Object.fromEntries(pairs);
}

function validateLevel(value: unknown): string | null {
  return value === 'full' || value === 'summary' || value === 'hidden' ? null : "must be 'full', 'summary' or 'hidden'";
}

function validateLine(value: unknown): string | null {
  if (!check.nonEmptyText.is(value)) return 'must be a line of text';
  const problem = validateTemplate(value);
  return problem === null ? null : `${problem}: write members as {table}, {user.name} or {rows.length}`;
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && isValidPath(value) && toPathParts(value).every((part) => part.trim() !== '');
}

/** Returns the marked paths of a schema. `*` is any item of a list and any unnamed member of a record. */
function listMarkedPaths(schema: JsonObject, createError: DefinitionErrorFactory): readonly string[] {
  const found = new Set<string>();
  collectMarks(schema, { path: [], visitedReferences: [] }, { root: schema, found, createError });
  return [...found];
}

interface SchemaPlace {
  readonly path: readonly string[];
  /** References that led here: a schema may contain itself. */
  readonly visitedReferences: readonly string[];
}

interface MarkSearch {
  readonly root: JsonObject;
  readonly found: Set<string>;
  readonly createError: DefinitionErrorFactory;
}

function collectMarks(schema: Json | undefined, place: SchemaPlace, search: MarkSearch): void {
  if (!isObject(schema)) return;
  if (schema[sensitiveMark] === true) {
    // A mark on the whole schema covers each argument.
    search.found.add(joinPath(place.path));
    return;
  }
  for (const [part, inside] of listParts(schema)) {
    if (part !== null && !isPathName(part) && hasMark(inside)) {
      throw search.createError(
        `the name of a sensitive member must not be empty or contain dots or brackets: rename ${JSON.stringify(part)}.`,
      );
    }
    collectMarks(inside, part === null ? place : { ...place, path: [...place.path, part] }, search);
  }
  const reference = schema.$ref;
  if (typeof reference !== 'string') return;
  const target = findAtPointer(search.root, reference);
  if (!place.visitedReferences.includes(reference))
    collectMarks(target, { ...place, visitedReferences: [...place.visitedReferences, reference] }, search);
  // The schema is recursive, and no path means "at any depth": the whole value is sensitive.
  else if (hasMark(target)) search.found.add(joinPath(place.path));
}

/** Joins member names. A first member `$` needs the root before it: `$.a` alone is the path `a`. */
function joinPath(path: readonly string[]): string {
  if (path.length === 0) return '*';
  return path[0] === '$' ? `$.${path.join('.')}` : path.join('.');
}

/** Returns whether a member of this name has a path: dots and brackets have a meaning of their own in one. */
function isPathName(name: string): boolean {
  return name !== '' && !/[.[\]]/.test(name);
}

/** Returns the inner schemas, each with its path segment; null if it describes the same value. */
function listParts(schema: JsonObject): readonly (readonly [string | null, Json])[] {
  const { properties, patternProperties, items, prefixItems, additionalProperties } = schema;
  const same = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => toList(schema[key]));
  return [
    ...Object.entries(isObject(properties) ? properties : {}),
    ...Object.values(isObject(patternProperties) ? patternProperties : {}).map((part) => ['*', part] as const),
    ...toList(prefixItems).map((part, at) => [String(at), part] as const),
    ...[items, additionalProperties].filter(isObject).map((part) => ['*', part] as const),
    ...same.map((part) => [null, part] as const),
  ];
}

function hasMark(schema: Json | undefined): boolean {
  return JSON.stringify(schema ?? null).includes(`"${sensitiveMark}":true`);
}
