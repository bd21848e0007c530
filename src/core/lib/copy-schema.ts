/**
 * Copies a JSON Schema with the keywords that its draft has. Annotations are omitted: the validator takes an `id` or a `$ref` within
 * an example for one of the schema.
 */

import {
  format,
  ignoredKeyword,
  type SchemaDraft,
  schemaArrayKeyword,
  schemaKeyword,
  schemaMapKeyword,
} from '@cfworker/json-schema';
import { findOwn, isObject, type Json, type JsonObject } from './json.js';

/**
 * @param place of the schema in its document, as `#/properties/cents`
 * @throws {Error} where a keyword has a value with which no value can be validated
 */
export function copySchema(source: Json | undefined, draft: SchemaDraft, place = '#'): JsonObject | boolean {
  return copyAt(source, { draft, place, ids: 0 });
}

/** The validator takes twice the time for each `$id` within another. */
const maxNestedIds = 4;

interface CopyPlace {
  readonly draft: SchemaDraft;
  readonly place: string;
  /** How many schemas around it have an address of their own. */
  readonly ids: number;
}

function copyAt(source: Json | undefined, at: CopyPlace): JsonObject | boolean {
  const { draft, place } = at;
  if (typeof source === 'boolean') return source;
  if (!isObject(source)) throw new Error(`${place} must be an object or a boolean`);
  const read = { ...source, ...toReferences(source, draft, place) };
  const pairs = Object.entries(read).filter(([keyword, value]) =>
    isKeyword(keyword, value, { isBesideRef: '$ref' in source, isRoot: place === '#', draft }),
  );
  const ids = at.ids + (pairs.some(([keyword]) => keyword === '$id' || keyword === 'id') ? 1 : 0);
  if (ids > maxNestedIds) throw new Error(`${place} has a $id within ${maxNestedIds} others`);
  return Object.fromEntries(
    pairs.map(([keyword, value]) => [keyword, copyValue(keyword, value, { draft, place: `${place}/${keyword}`, ids })]),
  );
}

/**
 * A `$dynamicRef` refers like a `$ref`, except that an anchor of the root replaces its target. It is put into `allOf`, because the
 * schema may also have a `$ref`.
 */
function toReferences({ $dynamicRef, allOf }: JsonObject, draft: SchemaDraft, place: string): JsonObject {
  if (typeof $dynamicRef !== 'string' || draft !== '2020-12') return {};
  return { allOf: [...toList(allOf ?? [], `${place}/allOf`), { $ref: $dynamicRef, [dynamicMark]: true }] };
}

/** Marks the reference of a `$dynamicRef`. */
export const dynamicMark = '__dynamic__';

interface KeywordPlace {
  readonly isBesideRef: boolean;
  readonly isRoot: boolean;
  readonly draft: SchemaDraft;
}

function isKeyword(keyword: string, value: Json, { isBesideRef, isRoot, draft }: KeywordPlace): boolean {
  if (!keywords.has(keyword)) return false;
  const isOld = draft === '4' || draft === '7';
  if (keyword === '$id' || keyword === 'id')
    return (
      typeof value === 'string' && keyword === (draft === '4' ? 'id' : '$id') && (isRoot || !isOld || !isBesideRef)
    );
  // Up to draft 7, a reference replaces the schema; what it has beside its definitions has no meaning.
  if (isOld && isBesideRef) return keywordsBesideRef.has(keyword);
  // The validator would find `toString` in its table of formats.
  if (keyword === 'format') return typeof value === 'string' && findOwn(format, value) !== undefined;
  // Draft 3 had it in members.
  if (keyword === 'required') return typeof value !== 'boolean';
  return !keyword.startsWith('$recursive') || draft === '2019-09';
}

const keywords: ReadonlySet<string> = new Set([
  ...[ignoredKeyword, schemaKeyword, schemaArrayKeyword, schemaMapKeyword].flatMap(Object.keys),
  ...['dependencies', 'minContains', 'maxContains', '$recursiveRef', '$recursiveAnchor', '$dynamicAnchor', dynamicMark],
]);

const keywordsBesideRef: ReadonlySet<string> = new Set(['$ref', 'definitions', '$defs', '$schema']);

function copyValue(keyword: string, value: Json, at: CopyPlace): Json {
  const { place } = at;
  if (schemaMapKeyword[keyword] || keyword === 'dependencies') {
    if (!isObject(value)) throw new Error(`${place} must be an object`);
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => {
        const name = keyword === 'patternProperties' ? toPattern(key, place) : key;
        const within = { ...at, place: `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
        return [name, keyword === 'dependencies' && Array.isArray(each) ? each : copyAt(each, within)];
      }),
    );
  }
  if (schemaArrayKeyword[keyword] && (keyword !== 'items' || Array.isArray(value)))
    return toList(value, place).map((part, index) => copyAt(part, { ...at, place: `${place}/${index}` }));
  if (schemaKeyword[keyword]) return copyAt(value, at);
  checkValue(keyword, value, place);
  return keyword === 'pattern' ? toPattern(value, place) : value;
}

function checkValue(keyword: string, value: Json, place: string): void {
  if (keyword === 'enum' || keyword === 'required') toList(value, place);
  if (keyword === '$ref' && typeof value !== 'string') throw new Error(`${place} must be a text`);
  if (keyword !== 'dependentRequired') return;
  if (!isObject(value)) throw new Error(`${place} must be an object`);
  for (const [name, needed] of Object.entries(value)) toList(needed, `${place}/${name}`);
}

function toList(value: Json, place: string): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${place} must be a list`);
}

/**
 * Returns the pattern for the validator, which compiles it with the flag `u`. Other languages also escape characters that need no
 * escape, such as `\\-`: the flag forbids that.
 */
function toPattern(pattern: Json, place: string): string {
  if (typeof pattern === 'string') {
    const plain = pattern.replace(/\\(\\|[ !"#%&',:;<=>@_`~-])/g, (match, character: string) =>
      character === '\\' ? match : `\\x${character.charCodeAt(0).toString(16)}`,
    );
    try {
      new RegExp(plain, 'u');
      return plain;
    } catch {}
  }
  throw new Error(`${place} is not a valid regular expression: ${JSON.stringify(pattern)}`);
}
