/** Converts a zod schema to the JSON Schema that the model sees, or reports what to write instead. */

import { z } from 'zod';
import { toErrorMessage } from '../../core/lib/errors.js';
import { isObject, type JsonObject } from '../../core/lib/json.js';
import type { DefinitionErrorFactory } from './definition-error.js';
import { sensitiveMark } from './tool-view.js';

/** Returns what is wrong with a schema, as a sentence without its full stop, or null. */
export function validateSchema(value: unknown, at: string): string | null {
  // By shape: the module may have its own copy of zod.
  const isSchema = isObject(value) && '_zod' in value && typeof value.safeParse === 'function';
  return isSchema ? null : `${at} must be a schema of zod 4, such as z.object({ city: z.string() })`;
}

/**
 * Returns the JSON Schema that the model sees. It must describe one object, because arguments have names.
 *
 * @param at the schema's name in errors
 */
export function toJsonSchema(schema: z.ZodType, at: string, createError: DefinitionErrorFactory): JsonObject {
  return toJsonSchemas(schema, at, createError).shown;
}

/** Returns the schema twice: `shown` for the model, `marked` with the marks of sensitive values, for views. */
export function toJsonSchemas(
  schema: z.ZodType,
  at: string,
  createError: DefinitionErrorFactory,
): { shown: JsonObject; marked: JsonObject } {
  const write = (unmark: boolean) => {
    let json: unknown;
    try {
      json = z.toJSONSchema(schema, {
        io: 'input',
        override: ({ jsonSchema }) => {
          if (unmark) delete jsonSchema[sensitiveMark];
        },
      });
    } catch (error) {
      throw createError(
        `${findNonJsonType(schema, at) ?? `${at} cannot be converted to JSON Schema: ${toErrorMessage(error)}`}.`,
      );
    }
    if (!isObject(json) || json.type !== 'object') {
      throw createError(`${at} must be an object with named members: write z.object({ … }).`);
    }
    const { $schema: _dialect, ...rest } = json;
    return rest;
  };
  return { shown: write(true), marked: write(false) };
}

/** Returns the JSON Schema of a result, which may be of any type. */
export function toOutputSchema(schema: z.ZodType, createError: DefinitionErrorFactory): JsonObject {
  try {
    const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'output' }) as JsonObject;
    return rest;
  } catch (error) {
    throw createError(`outputSchema cannot be converted to JSON Schema: ${toErrorMessage(error)}.`);
  }
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
  const found: string[] = [];
  try {
    z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, path }) => {
        const { type } = zodSchema._zod.def;
        const write = jsonAlternatives.get(type);
        if (write !== undefined)
          found.push(`${formatPath(at, path)} is a ${type}, which JSON does not have. Write ${write}`);
      },
    });
  } catch {
    return null;
  }
  return found[0] ?? null;
}

/** Returns the members' names of a path in the JSON Schema. */
function formatPath(at: string, path: readonly (string | number)[]): string {
  const names = path.filter((part, index) => path[index - 1] === 'properties' || part === 'items');
  return [at, ...names].join('.');
}
