/** From a zod schema to the JSON Schema that the model is shown, and what to write where there is none. */

import { z } from 'zod';
import { isObject, type JsonObject } from '../../core/lib/json.js';
import type { DefinitionErrorFactory } from './definition-error.js';
import { sensitiveMark } from './tool-view.js';

/** What is wrong with it, as a sentence without its full stop, or null. */
export function validateSchema(value: unknown, at: string): string | null {
  // By shape: the module may have its own copy of zod.
  const isSchema = isObject(value) && '_zod' in value && typeof value.safeParse === 'function';
  return isSchema ? null : `${at} must be a schema of zod 4, as z.object({ city: z.string() })`;
}

/**
 * The JSON Schema that the model is shown; it must describe one object, because arguments have names.
 *
 * @param at what it is called where it was written
 */
export function toJsonSchema(schema: z.ZodType, at: string, complain: DefinitionErrorFactory): JsonObject {
  return toJsonSchemas(schema, at, complain).shown;
}

/** The same schema with the marks of what is sensitive, which are for people's views, and without. */
export function toJsonSchemas(
  schema: z.ZodType,
  at: string,
  complain: DefinitionErrorFactory,
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
      throw complain(`${findNonJsonType(schema, at) ?? `${at} cannot be shown to a model: ${toErrorMessage(error)}`}.`);
    }
    if (!isObject(json) || json.type !== 'object') {
      throw complain(`${at} must be an object with named members: write z.object({ … }).`);
    }
    const { $schema: _dialect, ...rest } = json;
    return rest;
  };
  return { shown: write(true), marked: write(false) };
}

/** The model writes JSON: what to ask it for instead of what JSON does not have. */
const jsonAlternatives: ReadonlyMap<string, string> = new Map([
  ['date', 'z.iso.datetime(), and make a Date of it in `execute`'],
  ['bigint', 'z.int(), or z.string() for long ones'],
  ['map', 'z.record(z.string(), …)'],
  ['set', 'z.array(…)'],
  ['undefined', '.optional() behind what it may be'],
  ['void', '.optional() behind what it may be'],
  ['nan', 'z.number()'],
  ['symbol', 'z.string()'],
  ['custom', 'what it looks like in JSON, and .refine(…) behind it'],
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
          found.push(`${formatPath(at, path)} is a ${type}, which JSON does not have: write ${write}`);
      },
    });
  } catch {
    return null;
  }
  return found[0] ?? null;
}

/** Of the path in the JSON Schema, the names of members. */
function formatPath(at: string, path: readonly (string | number)[]): string {
  const names = path.filter((part, index) => path[index - 1] === 'properties' || part === 'items');
  return [at, ...names].join('.');
}

function toErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
