/**
 * Adapts a JSON Schema to the subset that the strict modes of all providers accept: objects are closed, every member is
 * required, references are replaced by their definitions, and limits of values become part of the description. The answer is
 * still validated against the original schema. The way back, `removeNulls`, removes the nulls of optional members.
 */

import { findOwn, isObject, type Json, type JsonObject } from './json.js';
import { findAtPointer } from './json-pointer.js';

/** Providers limit the unions and the nesting of a schema. */
const maxUnions = 16;
const maxLevels = 10;

/** Formats that all strict modes know. */
const formats: ReadonlySet<Json> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

const annotations: ReadonlySet<string> = new Set(['$schema', '$id', 'id', 'title', 'default', 'examples', '$defs']);
const valueLimits: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
]);

/** Where a schema is within the whole. */
interface Place {
  readonly root: JsonObject;
  /** The references on the way to it: a second time, one is a recursion, which not all providers accept. */
  readonly within: readonly string[];
  readonly level: number;
  /** Whether its members may become nullable: among several object types, nulls could not be removed again. */
  readonly isAlternative: boolean;
}

/** Returns the adapted schema; null for an object schema that no strict mode can express. */
export function toStrictSchema(schema: JsonObject): JsonObject | null {
  if (schema.type !== 'object') return null;
  const strict = adapt(schema, { root: schema, within: [], level: 0, isAlternative: false });
  return strict === null || countUnions(strict) > maxUnions ? null : strict;
}

function adapt(schema: Json | undefined, place: Place): JsonObject | null {
  if (!isObject(schema) || place.level > maxLevels) return null;
  if (typeof schema.$ref === 'string') return adaptReference(schema, schema.$ref, place);
  if (Array.isArray(schema.type)) return adapt(separateTypes(schema, schema.type), place);
  const { type, description, anyOf, oneOf, properties, required, additionalProperties, items, ...others } = schema;
  const { enum: values, const: value, ...more } = others;
  const unknown = Object.keys(more).some((name) => !annotations.has(name) && !valueLimits.has(name));
  if (unknown) return null;
  const variants = anyOf ?? oneOf;
  const adapted = Array.isArray(variants)
    ? adaptVariants(variants, place)
    : type === 'object'
      ? adaptObject({ properties, required, additionalProperties }, place)
      : type === 'array'
        ? adaptItems(items, place)
        : adaptScalar(type, values, value);
  if (adapted === null) return null;
  const { kept, text } = describeLimits(more, description);
  return { ...adapted, ...kept, ...(text === '' ? {} : { description: text }) };
}

/** Converts a list of types to a union, or omits it where the values are listed. */
function separateTypes({ type: _, description, ...others }: JsonObject, types: readonly Json[]): JsonObject {
  const described = description === undefined ? {} : { description };
  if (others.enum !== undefined || others.const !== undefined) return { ...described, ...others };
  const isNull = (type: Json) => type === 'null';
  return { ...described, anyOf: types.map((type) => (isNull(type) ? { type } : { ...others, type })) };
}

function adaptReference(schema: JsonObject, reference: string, place: Place): JsonObject | null {
  if (place.within.includes(reference)) return null;
  const adapted = adapt(findDefinition(place.root, reference), { ...place, within: [...place.within, reference] });
  if (adapted === null || typeof schema.description !== 'string') return adapted;
  return { ...adapted, description: schema.description };
}

function adaptVariants(variants: readonly Json[], place: Place): JsonObject | null {
  const isAlternative = place.isAlternative || variants.filter((variant) => !isNullType(variant)).length > 1;
  const all = variants.map((variant) => adapt(variant, { ...place, isAlternative }));
  return all.some((variant) => variant === null) ? null : { anyOf: all as readonly JsonObject[] };
}

function adaptObject(
  { properties, required = [], additionalProperties = false }: { readonly [member: string]: Json | undefined },
  place: Place,
): JsonObject | null {
  if (!isObject(properties) || additionalProperties !== false || !Array.isArray(required)) return null;
  const members: [string, JsonObject][] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const adapted = adapt(schema, { ...place, level: place.level + 1 });
    const isOptional = !required.includes(name);
    if (adapted === null || (isOptional && place.isAlternative)) return null;
    members.push([name, isOptional && !allowsNull(adapted, adapted) ? toNullable(adapted) : adapted]);
  }
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    required: members.map(([name]) => name),
    additionalProperties: false,
  };
}

function adaptItems(items: Json | undefined, place: Place): JsonObject | null {
  const adapted = adapt(items, { ...place, level: place.level + 1 });
  return adapted === null ? null : { type: 'array', items: adapted };
}

function adaptScalar(type: Json | undefined, values: Json | undefined, value: Json | undefined): JsonObject | null {
  const choice: JsonObject = {
    ...(values === undefined ? {} : { enum: values }),
    ...(value === undefined ? {} : { const: value }),
  };
  if (type === undefined) return Object.keys(choice).length === 0 ? null : choice;
  return typeof type === 'string' && scalarTypes.has(type) ? { type, ...choice } : null;
}

const scalarTypes: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'null']);

/** Moves limits that strict modes reject into the description, for the model. */
function describeLimits(
  limits: JsonObject,
  description: Json | undefined,
): { readonly kept: JsonObject; readonly text: string } {
  const kept: { [name: string]: Json } = {};
  const texts: string[] = [];
  for (const [name, limit] of Object.entries(limits)) {
    const isKept = (name === 'format' && formats.has(limit)) || (name === 'minItems' && (limit === 0 || limit === 1));
    if (isKept) kept[name] = limit;
    // The pattern of a format that is kept adds nothing.
    else if (name === 'pattern' && formats.has(limits.format ?? null)) continue;
    else if (valueLimits.has(name) && !isSafeBound(limit)) texts.push(`${name}: ${JSON.stringify(limit)}`);
  }
  const lead = typeof description === 'string' ? description : '';
  return {
    kept,
    text: [lead, texts.length === 0 ? '' : `(${texts.join(', ')})`].filter((part) => part !== '').join(' '),
  };
}

/** The bounds of every whole number. */
function isSafeBound(limit: Json): boolean {
  return typeof limit === 'number' && Math.abs(limit) === Number.MAX_SAFE_INTEGER;
}

/** Removes nulls from optional members that may be absent but not null: strict modes have no other way to omit a member. */
export function removeNulls(value: Json, schema: JsonObject): Json {
  return removeNullsAt(value, schema, schema);
}

function removeNullsAt(value: Json, rawSchema: Json | undefined, root: JsonObject): Json {
  const schema = resolveType(rawSchema, root);
  if (schema === null) return value;
  if (Array.isArray(value)) return value.map((item) => removeNullsAt(item, schema.items, root));
  if (!isObject(value) || !isObject(schema.properties)) return value;
  const { properties, required } = schema;
  const members = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    const own = findOwn(properties, name);
    const isRequired = Array.isArray(required) && required.includes(name);
    if (member === null && own !== undefined && !isRequired && !allowsNull(own, root)) return [];
    return [[name, removeNullsAt(member, own, root)]];
  });
  return Object.fromEntries(members);
}

/** Follows references, and the only type beside null. */
function resolveType(rawSchema: Json | undefined, root: JsonObject): JsonObject | null {
  let schema = rawSchema;
  for (let steps = 0; steps < maxLevels && isObject(schema); steps++) {
    const variants = (schema.anyOf ?? schema.oneOf ?? []) as Json;
    const types = Array.isArray(variants) ? variants.filter((variant) => !isNullType(variant)) : [];
    if (typeof schema.$ref === 'string') schema = findDefinition(root, schema.$ref);
    else if (types.length === 1) schema = types[0];
    else return schema;
  }
  return null;
}

function allowsNull(schema: Json, root: JsonObject, level = 0): boolean {
  if (!isObject(schema) || level > maxLevels) return true;
  if (typeof schema.$ref === 'string') return allowsNull(findDefinition(root, schema.$ref) ?? true, root, level + 1);
  const variants = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(variants)) return variants.some((variant) => allowsNull(variant, root, level + 1));
  const { type, enum: values, const: value } = schema;
  if (Array.isArray(values)) return values.includes(null);
  if (value !== undefined) return value === null;
  return type === undefined || type === 'null' || (Array.isArray(type) && type.includes('null'));
}

/** Undefined for a reference that strict schemas do not allow. */
function findDefinition(root: JsonObject, reference: string): Json | undefined {
  return /^#(?:\/\$defs\/[^/]+)?$/.test(reference) ? findAtPointer(root, reference) : undefined;
}

function isNullType(schema: Json): boolean {
  return isObject(schema) && schema.type === 'null';
}

function toNullable(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'null' }] };
}

function countUnions(schema: Json): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, item) => sum + countUnions(item), 0);
  if (!isObject(schema)) return 0;
  const below = Object.values(schema).reduce<number>((sum, member) => sum + countUnions(member), 0);
  return below + (Array.isArray(schema.anyOf) ? 1 : 0);
}
