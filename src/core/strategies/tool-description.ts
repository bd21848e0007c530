/** A tool as a text protocol describes it to the model, out of the JSON Schema of its arguments. */

import type { Json, JsonObject } from '../lib/json.js';
import { isObject, own } from '../lib/json.js';
import type { ToolSnapshot } from '../model/agent.js';

/** Schemas may refer to themselves; deeper members say little to a model. */
const deepest = 4;

export function describeTool(tool: ToolSnapshot): string {
  const parameters = members(tool.inputSchema, tool.inputSchema, '    ', 0);
  return [
    `${tool.name}: ${indented(tool.description, '  ')}`,
    ...(parameters.length > 0 ? ['  Parameters:', ...parameters] : ['  Parameters: none']),
    ...(tool.returns.trim() === '' ? [] : [`  Returns: ${indented(tool.returns, '    ')}`]),
  ].join('\n');
}

function members(schema: JsonObject, root: JsonObject, indent: string, depth: number): readonly string[] {
  const properties = own(schema, 'properties');
  if (!isObject(properties) || depth >= deepest) return [];
  const required = own(schema, 'required');
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  return Object.entries(properties).flatMap(([name, written]) => {
    const member = resolved(written, root);
    return [
      `${indent}- ${name} (${facts(member, root, isRequired(name)).join(', ')})${about(member, indent)}`,
      ...members(nested(member, root), root, `${indent}  `, depth + 1),
    ];
  });
}

function facts(member: JsonObject, root: JsonObject, required: boolean): readonly string[] {
  const fallback = own(member, 'default');
  return [
    typeOf(member, root, 0),
    required ? 'required' : 'optional',
    ...(fallback === undefined ? [] : [`default=${JSON.stringify(fallback)}`]),
    ...bounds(member),
  ];
}

/** Limits that a model breaks when it is not told. */
function bounds(member: JsonObject): readonly string[] {
  const known = { minimum: 'min', maximum: 'max', minLength: 'min length', maxLength: 'max length', format: 'format' };
  return Object.entries(known).flatMap(([key, label]) => {
    const value = own(member, key);
    // Schema exports write the range of safe integers where nobody asked for a limit.
    const says = typeof value === 'string' || (typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER);
    return says ? [`${label}=${value}`] : [];
  });
}

function about(member: JsonObject, indent: string): string {
  const description = own(member, 'description');
  const text = typeof description === 'string' ? description.trim() : '';
  return text === '' ? '' : `: ${indented(text, `${indent}  `)}`;
}

/** The object whose members are listed under a member: itself, or what its list holds. */
function nested(member: JsonObject, root: JsonObject): JsonObject {
  const items = own(member, 'items');
  if (items !== undefined) return nested(resolved(items, root), root);
  return member;
}

function typeOf(schema: JsonObject, root: JsonObject, depth: number): string {
  if (depth > deepest) return 'any';
  const inner = (each: Json) => typeOf(resolved(each, root), root, depth + 1);
  const constant = own(schema, 'const');
  if (constant !== undefined) return JSON.stringify(constant);
  const values = own(schema, 'enum');
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ');
  const union = own(schema, 'anyOf') ?? own(schema, 'oneOf');
  if (Array.isArray(union)) return [...new Set(union.map(inner))].join(' or ');
  const type = own(schema, 'type');
  if (Array.isArray(type)) return type.join(' or ');
  if (type === 'array') {
    const items = own(schema, 'items');
    return items === undefined ? 'array' : `array of ${inner(items)}`;
  }
  return typeof type === 'string' ? type : 'any';
}

/** Follows `$ref` into the schema's own definitions, keeping what stands beside it. */
function resolved(schema: Json, root: JsonObject, hops = 0): JsonObject {
  if (!isObject(schema)) return {};
  const reference = own(schema, '$ref');
  if (typeof reference !== 'string' || hops > deepest) return schema;
  let target: Json | undefined = root;
  for (const part of reference.replace(/^#\/?/, '').split('/')) {
    if (part !== '')
      target = isObject(target) ? own(target, part.replaceAll('~1', '/').replaceAll('~0', '~')) : undefined;
  }
  const { $ref: _, ...beside } = schema;
  return { ...resolved(target ?? {}, root, hops + 1), ...beside };
}

function indented(text: string, indent: string): string {
  return text.trim().replace(/\n\s*/g, `\n${indent}`);
}
