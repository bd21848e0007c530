/** Formats the JSON Schema of arguments as an indented list of members. */

import { isObject, type Json, type JsonObject } from '../../core/lib/index.js';
import { wrapText } from '../terminal/text.js';

interface SchemaFormat {
  readonly width: number;
  readonly dim: (text: string) => string;
}

/** Levels that are shown: a schema may be far deeper than a person reads. */
const maxLevels = 8;

/** Returns a line for each member with its type and rules, its description below. */
export function formatSchema(schema: JsonObject, format: SchemaFormat, level = 1): readonly string[] {
  const members = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const indent = '  '.repeat(level);
  if (members.length === 0 && level === 1) return [`${indent}${formatType(schema)}, no members`];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return members.flatMap(([name, member]) => {
    const rules = isObject(member) ? formatRules(member) : [];
    const facts = [formatType(member), required.includes(name) ? 'required' : 'optional', ...rules].join(', ');
    const description = isObject(member) && typeof member.description === 'string' ? member.description : '';
    const inner = findMembers(member);
    const wrap = (text: string, at: string) =>
      wrapText(text, Math.max(20, format.width - at.length)).map((line) => at + line);
    return [
      ...wrap(`${name}: ${facts}`, indent),
      ...(description === '' ? [] : wrap(description, `${indent}  `).map(format.dim)),
      ...(inner === null || level >= maxLevels ? [] : formatSchema(inner, format, level + 1)),
    ];
  });
}

/** Returns the object with members that a value is, or has as items. */
function findMembers(schema: Json): JsonObject | null {
  if (!isObject(schema)) return null;
  if (isObject(schema.properties)) return schema;
  return isObject(schema.items) ? findMembers(schema.items) : null;
}

function formatType(schema: Json): string {
  if (!isObject(schema)) return schema === false ? 'nothing' : 'anything';
  const { type, enum: values, const: value, $ref } = schema;
  if (Array.isArray(values)) return values.map((item) => JSON.stringify(item)).join(' or ');
  if (value !== undefined) return JSON.stringify(value);
  if (typeof $ref === 'string') return $ref === '#' ? 'the same again' : ($ref.split('/').at(-1) ?? $ref);
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return [...new Set(choices.map(formatType))].join(' or ');
  if (type === 'array') return schema.items === undefined ? 'list' : `list of ${formatType(schema.items)}`;
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : 'anything';
}

const rules = [
  ...['format', 'pattern', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'default'],
];

function formatRules(schema: JsonObject): readonly string[] {
  return rules.flatMap((name) => {
    const value = schema[name];
    // Those of any integer are no rules.
    if (value === undefined || Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return [];
    return [`${name} ${typeof value === 'string' && name !== 'default' ? value : JSON.stringify(value)}`];
  });
}
