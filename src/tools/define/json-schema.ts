/** Converts a schema to the JSON Schema that the model sees, or reports what to write instead. */

import { z } from 'zod';
import { type JsonObject, toErrorMessage } from '../../core/lib/index.js';
import type { DefinitionErrorFactory } from './definition-error.js';
import type { ToolSchema } from './tool-schema.js';
import { sensitiveMark } from './tool-view.js';

/**
 * Returns the JSON Schema that the model sees. It must describe one object, because arguments have names.
 *
 * @param at the schema's name in errors
 */
export function toJsonSchema(schema: ToolSchema, at: string, createError: DefinitionErrorFactory): JsonObject {
  return toJsonSchemas(schema, at, createError).shown;
}

/** Returns the schema twice: `shown` for the model, `marked` with the marks of sensitive values, for views. */
export function toJsonSchemas(
  schema: ToolSchema,
  at: string,
  createError: DefinitionErrorFactory,
): { shown: JsonObject; marked: JsonObject } {
  const marked = convert(schema, 'input', at, createError);
  if (marked.type !== 'object') {
    throw createError(`${at} must be an object with named members: write z.object({ … }).`);
  }
  return { shown: removeMarks(marked), marked };
}

/** Returns the JSON Schema of a result, which may be of any type. */
export function toOutputSchema(schema: ToolSchema, createError: DefinitionErrorFactory): JsonObject {
  return convert(schema, 'output', 'outputSchema', createError);
}

/** Returns the JSON Schema of a person's answer, which may be of any type. */
export function toAnswerSchema(schema: ToolSchema, createError: DefinitionErrorFactory): JsonObject {
  const converted = convert(schema, 'input', 'schema', createError);
  if (JSON.stringify(converted) === JSON.stringify(removeMarks(converted))) return converted;
  throw createError('schema marks sensitive values: name them in `view.sensitive` of the tool.');
}

/** Returns the schema of the values before (`input`) or after the validation, without its dialect. */
function convert(
  schema: ToolSchema,
  io: 'input' | 'output',
  at: string,
  createError: DefinitionErrorFactory,
): JsonObject {
  try {
    const json = isZod(schema)
      ? z.toJSONSchema(schema, { io })
      : schema['~standard'].jsonSchema[io]({ target: 'draft-2020-12' });
    const { $schema: _dialect, ...rest } = json as JsonObject;
    return rest;
  } catch (error) {
    const problem = isZod(schema) && io === 'input' ? findNonJsonType(schema, at) : null;
    throw createError(`${problem ?? `${at} cannot be converted to JSON Schema: ${toErrorMessage(error)}`}.`);
  }
}

/** By shape: the module may have its own copy of zod. */
function isZod(schema: ToolSchema): schema is z.ZodType {
  return '_zod' in schema;
}

/** A member of the arguments may have the mark's name: its schema is an object, never `true`. */
function removeMarks(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === sensitiveMark && value === true ? undefined : value,
  );
}

/** What to write instead of types that JSON does not have. */
const jsonAlternatives: ReadonlyMap<string, string> = new Map([
  ['date', 'z.iso.datetime(), and create the Date in `execute`'],
  ['bigint', 'z.int(), or z.string() for large numbers'],
  ['map', 'z.record(z.string(), …)'],
  ['set', 'z.array(…)'],
  ['undefined', '.optional() after the type'],
  ['void', '.optional() after the type'],
  ['nan', 'z.number()'],
  ['symbol', 'z.string()'],
  ['custom', 'its type in JSON, followed by .refine(…)'],
]);

function findNonJsonType(schema: z.ZodType, at: string): string | null {
  const problems: string[] = [];
  try {
    z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, path }) => {
        const { type } = zodSchema._zod.def;
        const write = jsonAlternatives.get(type);
        if (write !== undefined)
          problems.push(`${formatPath(at, path)} is a ${type}, which JSON does not have. Write ${write}`);
      },
    });
  } catch {
    return null;
  }
  return problems[0] ?? null;
}

/** Returns the members' names of a path in the JSON Schema. */
function formatPath(at: string, path: readonly (string | number)[]): string {
  const names = path.filter((part, index) => path[index - 1] === 'properties' || part === 'items');
  return [at, ...names].join('.');
}
