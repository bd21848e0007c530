/**
 * Converts the schemas of a document to JSON Schema 2020-12: one schema for the arguments of one tool, with the definitions that it
 * refers to. References may lead back to themselves.
 */

import { findOwn, isObject, type Json, type JsonObject, splitPointer, toList } from '../../core/lib/index.js';
import { sensitiveMark } from '../define/index.js';
import { cleanLine } from './clean-text.js';
import { createOpenApiError, findReference, type OpenApiDocument, resolvePart } from './document.js';

const maxDescription = 300;

/** Keywords for documentation and other formats, and those that only a document gives a meaning. */
const dropped: ReadonlySet<string> = new Set([
  ...['discriminator', 'example', 'examples', 'externalDocs', 'nullable', 'readOnly', 'writeOnly', 'xml', '$comment'],
]);

/** Checks of which a stranger's document can make one that takes hours. The server has its own. */
const costly: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'uniqueItems']);
const maxPattern = 100;

/** Without costly checks, they would reject what the server accepts. */
const exact: ReadonlySet<string> = new Set(['not', 'if', 'then', 'else']);

const schemaMaps: ReadonlySet<string> = new Set(['properties', 'dependentSchemas', '$defs']);
const schemaLists: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const schemas: ReadonlySet<string> = new Set([
  ...['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
]);

export class SchemaConverter {
  private readonly isOld: boolean;
  /** Names of definitions by reference. */
  private readonly names = new Map<string, string>();
  /** Not by recursion: a document may have thousands of schemas, each of which refers to the next. */
  private readonly ahead: { readonly name: string; readonly target: Json; readonly reference: string }[] = [];

  constructor(private readonly document: OpenApiDocument) {
    this.isOld = document.version === '3.0';
  }

  convert(schema: Json, place: string): Json {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema)) throw createOpenApiError(`${place} must be a schema.`);
    const { $ref } = schema;
    if (typeof $ref !== 'string') return this.convertMembers(schema, place);
    const reference = { $ref: `#/$defs/${this.refer($ref, place)}` };
    // In 3.0, what a reference has beside it has no meaning.
    return this.isOld ? reference : { ...(this.convertMembers(schema, place) as JsonObject), ...reference };
  }

  /** Returns the definitions that the converted schemas refer to. */
  takeDefinitions(): JsonObject {
    const definitions = new Map<string, Json>();
    for (let next = this.ahead.pop(); next !== undefined; next = this.ahead.pop())
      definitions.set(next.name, this.convert(next.target, next.reference));
    return Object.fromEntries(definitions);
  }

  private refer(reference: string, place: string): string {
    const known = this.names.get(reference);
    if (known !== undefined) return known;
    const target = findReference(this.document.root, reference, place);
    const name = chooseName(reference, new Set(this.names.values()));
    this.names.set(reference, name);
    this.ahead.push({ name, target, reference });
    return name;
  }

  private convertMembers(schema: JsonObject, place: string): Json {
    const hidden = this.listReadOnly(schema, place);
    const isLoose = this.hasCostly(schema.not, place) || this.hasCostly(schema.if, place);
    const entries = Object.entries(describePattern(schema)).filter(([keyword]) => {
      if (dropped.has(keyword) || costly.has(keyword) || keyword.startsWith('x-')) return false;
      if (/^(?:additional|unevaluated)Properties$/.test(keyword)) return schema.patternProperties === undefined;
      return !isLoose || !exact.has(keyword);
    });
    const converted = entries.map(([keyword, value]): readonly [string, Json] => {
      const at = `${place}/${keyword}`;
      if (keyword === 'oneOf' && Array.isArray(value) && schema.anyOf === undefined && this.hasCostly(value, at))
        return ['anyOf', value.map((part: Json, index) => this.convertChoice(schema, part, `${at}/${index}`))];
      if (keyword === 'properties' && isObject(value)) {
        const pairs = Object.entries(value).filter(([name]) => !hidden.has(name));
        return [keyword, Object.fromEntries(pairs.map(([name, part]) => [name, this.convert(part, `${at}/${name}`)]))];
      }
      if (schemaMaps.has(keyword) && isObject(value))
        return [
          keyword,
          Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.convert(part, `${at}/${name}`)])),
        ];
      if (schemaLists.has(keyword) && Array.isArray(value))
        return [keyword, value.map((part: Json, index) => this.convertChoice(schema, part, `${at}/${index}`))];
      if (schemas.has(keyword)) return [keyword, this.convert(value, at)];
      if (keyword === 'required' && Array.isArray(value))
        return [keyword, value.filter((name) => typeof name !== 'string' || !hidden.has(name))];
      if (keyword === 'description' || keyword === 'title') return [keyword, cleanLine(value, maxDescription)];
      return [keyword, value];
    });
    const members: JsonObject = Object.fromEntries(
      converted.filter(([keyword, value]) => value !== '' || (keyword !== 'description' && keyword !== 'title')),
    );
    const marked = isSensitive(members) ? { ...members, [sensitiveMark]: true } : members;
    return this.isOld ? toCurrent(marked, schema.nullable === true) : marked;
  }

  /** Returns whether a schema, or one that it refers to directly, has a check that is not kept. */
  private hasCostly(schema: Json | undefined, place: string): boolean {
    return toList(schema)
      .concat(schema ?? [])
      .some((part) => {
        const target =
          isObject(part) && typeof part.$ref === 'string' ? findReference(this.document.root, part.$ref, place) : part;
        return /"(?:pattern|patternProperties|uniqueItems)":/.test(JSON.stringify(target));
      });
  }

  /** Properties that only responses have. */
  private listReadOnly({ properties }: JsonObject, place: string): ReadonlySet<string> {
    if (!isObject(properties)) return new Set();
    const isReadOnly = ([name, value]: readonly [string, Json]) =>
      isObject(value) && resolvePart(this.document, value, `${place}/properties/${name}`).readOnly === true;
    return new Set(
      Object.entries(properties)
        .filter(isReadOnly)
        .map(([name]) => name),
    );
  }

  /** A discriminator states which of the schemas applies. JSON Schema has it as a constant in each of them. */
  private convertChoice({ discriminator, allOf }: JsonObject, choice: Json, place: string): Json {
    const converted = this.convert(choice, place);
    if (!isObject(discriminator) || typeof discriminator.propertyName !== 'string') return converted;
    if (!isObject(choice) || typeof choice.$ref !== 'string' || toList(allOf).includes(choice)) return converted;
    const { $ref } = choice;
    const name = splitPointer($ref).at(-1) ?? '';
    const mapping = isObject(discriminator.mapping) ? Object.entries(discriminator.mapping) : [];
    const mapped = mapping.filter(([, target]) => target === $ref || target === name).map(([value]) => value);
    const { propertyName } = discriminator;
    return {
      ...(converted as JsonObject),
      properties: { [propertyName]: { enum: mapped.length === 0 ? [name] : mapped } },
      required: [propertyName],
    };
  }
}

/** The model reads a pattern; it is not checked here. */
function describePattern(schema: JsonObject): JsonObject {
  const { pattern, description } = schema;
  if (typeof pattern !== 'string') return schema;
  const own = cleanLine(description, maxDescription - maxPattern - 20);
  return { ...schema, description: `${own === '' ? '' : `${own} `}Pattern: ${cleanLine(pattern, maxPattern)}` };
}

/** Returns whether a value is a password, or has one below a name that no path can have: then all of it is masked. */
function isSensitive({ format, properties }: JsonObject): boolean {
  if (format === 'password') return true;
  return Object.entries(isObject(properties) ? properties : {}).some(
    ([name, value]) =>
      (name === '' || /[.[\]]/.test(name)) && JSON.stringify(value).includes(`"${sensitiveMark}":true`),
  );
}

/** Converts the keywords of 3.0 that 2020-12 writes in another way. */
function toCurrent(schema: JsonObject, isNullable: boolean): Json {
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  const limits: Record<string, Json> = { ...rest };
  takeLimit(limits, 'minimum', 'exclusiveMinimum', exclusiveMinimum);
  takeLimit(limits, 'maximum', 'exclusiveMaximum', exclusiveMaximum);
  if (!isNullable) return limits;
  const { type } = limits;
  if (typeof type !== 'string') return { anyOf: [limits, { type: 'null' }] };
  const values = findOwn<Json>(limits, 'enum');
  const withNull = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...limits, type: [type, 'null'], ...withNull };
}

function takeLimit(schema: Record<string, Json>, limit: string, exclusive: string, value: Json | undefined): void {
  if (typeof value === 'number') schema[exclusive] = value;
  const bound = schema[limit];
  if (value !== true || bound === undefined) return;
  schema[exclusive] = bound;
  delete schema[limit];
}

/** Returns a name of a definition that needs no encoding in a reference. */
function chooseName(reference: string, taken: ReadonlySet<string>): string {
  const last = (splitPointer(reference).at(-1) ?? '').replace(/[^\w.-]+/g, '_');
  const name = last === '' ? 'schema' : last;
  if (!taken.has(name)) return name;
  for (let count = 2; ; count++) if (!taken.has(`${name}_${count}`)) return `${name}_${count}`;
}
