/**
 * The arguments of an operation, flat: parameters and members of the body side by side, as models write them best.
 *
 * A parameter has its own name; of equal names in several places, those in the query and in headers begin with `query_` and `header_`.
 * Members of the body have their own names if the body is a plain object with none of the parameters' names. Otherwise the whole
 * body is the argument `body`.
 */

import { isObject, type Json, type JsonObject, toList } from '../../core/lib/index.js';
import { cleanLine } from './clean-text.js';
import { SchemaConverter } from './convert-schema.js';
import { createOpenApiError, type OpenApiDocument, resolvePart } from './document.js';
import type { Parameter } from './parameters.js';
import type { RequestBody } from './request-body.js';

export interface OperationInput {
  /** 2020-12, of an object. */
  readonly schema: JsonObject;
  /** Parameters by their arguments. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** Where the body is: in one argument, or in these members; null for an operation without one. */
  readonly body: { readonly argument: string } | { readonly members: ReadonlySet<string> } | null;
}

interface InputParts {
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | null;
  readonly place: string;
}

const bodyArgument = 'body';
const maxDescription = 300;
/** Of a schema: each request to the model contains it. */
const maxSchemaBytes = 100_000;

/** @throws {LonghandError} `invalid_options` */
export function createOperationInput(
  document: OpenApiDocument,
  { parameters, body, place }: InputParts,
): OperationInput {
  const converter = new SchemaConverter(document);
  const flat = body === null ? null : readMembers(document, body, parameters, place);
  const byArgument = nameParameters(parameters, body !== null && flat === null);
  const properties = new Map<string, Json>();
  const required: string[] = [];
  for (const [name, { schema, description, isRequired, place: where }] of byArgument) {
    const converted = converter.convert(schema, `${place}, ${where} parameter ${name}`);
    properties.set(name, describe(converted, cleanLine(description, maxDescription)));
    if (isRequired) required.push(name);
  }
  if (flat !== null) {
    const converted = converter.convert(flat, `the body of ${place}`);
    const { properties: members = {}, required: needed = [] } = isObject(converted) ? converted : {};
    for (const [name, member] of Object.entries(members as JsonObject)) properties.set(name, member);
    required.push(...(needed as readonly string[]));
  } else if (body !== null) {
    const converted = converter.convert(body.schema, `the body of ${place}`);
    properties.set(bodyArgument, describe(converted, cleanLine(body.description, maxDescription)));
    if (body.isRequired) required.push(bodyArgument);
  }
  const definitions = converter.takeDefinitions();
  const members = Object.fromEntries(properties);
  const schema: JsonObject = {
    type: 'object',
    properties: members,
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
  if (JSON.stringify(schema).length > maxSchemaBytes) {
    const fix = 'Leave it out with `only`, or shorten its schemas';
    throw createOpenApiError(
      `the arguments of ${place} have a schema of more than ${maxSchemaBytes / 1_000} KB. ${fix}.`,
    );
  }
  const names = flat === null ? [] : Object.keys(members).filter((name) => !byArgument.has(name));
  const sent = body === null ? null : flat === null ? { argument: bodyArgument } : { members: new Set(names) };
  return { schema, parameters: byArgument, body: sent };
}

/** What a schema may have whose members become arguments: no rule about the object as a whole. */
const plainKeywords: ReadonlySet<string> = new Set([
  ...['additionalProperties', 'default', 'deprecated', 'description', 'example', 'examples', 'externalDocs'],
  ...['properties', 'required', 'title', 'type', 'xml'],
]);

/** Returns the schema of a body whose members can be arguments, or null. */
function readMembers(
  document: OpenApiDocument,
  { schema: rawSchema, isRequired, format }: RequestBody,
  parameters: readonly Parameter[],
  place: string,
): JsonObject | null {
  if (!isObject(rawSchema) || format === 'text') return null;
  const schema = resolvePart(document, rawSchema, `the body of ${place}`);
  const { type, properties, additionalProperties, required } = schema;
  if ((type !== undefined && type !== 'object') || !isObject(properties) || Object.keys(properties).length === 0)
    return null;
  if (Object.keys(schema).some((keyword) => !plainKeywords.has(keyword) && !keyword.startsWith('x-'))) return null;
  if (additionalProperties === true || isObject(additionalProperties)) return null;
  const needed = toList(required);
  // Members that only a body needs cannot be required where the body is not. Nor can a member that has no schema.
  if (needed.length > 0 && !isRequired) return null;
  if (!needed.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))) return null;
  return parameters.some(({ name }) => Object.hasOwn(properties, name)) ? null : schema;
}

function nameParameters(parameters: readonly Parameter[], hasBodyArgument: boolean): ReadonlyMap<string, Parameter> {
  const counts = new Map<string, number>(hasBodyArgument ? [[bodyArgument, 1]] : []);
  for (const { name } of parameters) counts.set(name, (counts.get(name) ?? 0) + 1);
  const byArgument = new Map<string, Parameter>();
  // Those of the path first: they keep their names.
  const places = ['path', 'query', 'header'] as const;
  const ordered = places.flatMap((place) => parameters.filter((parameter) => parameter.place === place));
  for (const parameter of ordered) {
    const { name, place } = parameter;
    const isShared = (counts.get(name) ?? 0) > 1 && (place !== 'path' || (hasBodyArgument && name === bodyArgument));
    let chosen = isShared ? `${place}_${name}` : name;
    while (byArgument.has(chosen) || (chosen !== name && counts.has(chosen))) chosen = `${chosen}_`;
    byArgument.set(chosen, parameter);
  }
  return byArgument;
}

/** The description of a parameter precedes that of its type. */
function describe(schema: Json, description: string): Json {
  if (description === '') return schema;
  return schema === true ? { description } : isObject(schema) ? { ...schema, description } : schema;
}
