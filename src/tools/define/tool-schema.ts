/** Schemas of tools: what a definition accepts, and the validation of values. */

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import {
  createJsonValidator,
  isObject,
  type Json,
  type JsonObject,
  type JsonValidator,
  LonghandError,
  toErrorMessage,
} from '../../core/lib/index.js';

/**
 * A schema of zod 4, of another library with Standard Schema and Standard JSON Schema (https://standardschema.dev), or of
 * `fromJsonSchema`.
 */
export interface ToolSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>;
}

export type SchemaInput<Schema extends ToolSchema> = StandardSchemaV1.InferInput<Schema>;
export type SchemaOutput<Schema extends ToolSchema> = StandardSchemaV1.InferOutput<Schema>;

/**
 * Makes a schema for `inputSchema` or `outputSchema` of a JSON Schema: draft 6 to 2020-12, with formats. References have to be within
 * the document.
 *
 * @typeParam Value the type of the values, which is not checked against the schema
 * @throws {LonghandError} `invalid_tool` where no value can be validated by it
 * @example
 * defineTool({
 *   name: 'get_weather',
 *   inputSchema: fromJsonSchema<{ city: string }>({
 *     type: 'object',
 *     properties: { city: { type: 'string' } },
 *     required: ['city'],
 *   }),
 *   …
 * })
 */
export function fromJsonSchema<Value = JsonObject>(schema: JsonObject): ToolSchema<Value> {
  const validate = createValidator(schema);
  return {
    '~standard': {
      version: 1,
      vendor: 'longhand',
      validate: (value) => {
        const problems = validate(value as Json);
        return problems.length === 0
          ? { value: value as Value }
          : { issues: problems.map((message) => ({ message: message.replace(/\.$/, '') })) };
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}

function createValidator(schema: JsonObject): JsonValidator {
  // Models, and the check of changed arguments, would read it as 2020-12, which has other keywords.
  if (isObject(schema) && /draft-0[1-4]\b/.test(String(schema.$schema)))
    throw new LonghandError('invalid_tool', `fromJsonSchema: ${schema.$schema} is too old. Use draft 6 to 2020-12.`);
  try {
    if (isObject(schema)) return createJsonValidator(schema);
  } catch (error) {
    throw new LonghandError('invalid_tool', `fromJsonSchema: invalid JSON Schema: ${toErrorMessage(error)}.`);
  }
  throw new LonghandError('invalid_tool', "fromJsonSchema: a JSON Schema is an object: { type: 'object', … }.");
}

/** Returns what is wrong with a schema, as a sentence without its full stop, or null. */
export function validateSchema(value: unknown, at: string): string | null {
  // By shape: the module may have its own copy of a library. Those of ArkType are functions.
  const standard =
    (typeof value === 'object' || typeof value === 'function') && value !== null && Reflect.get(value, '~standard');
  const isSchema = isObject(standard) && 'validate' in standard && 'jsonSchema' in standard;
  return isSchema
    ? null
    : `${at} must be a schema of zod 4, such as z.object({ city: z.string() }), or fromJsonSchema({ … }) for a JSON Schema`;
}

type Validated<Output> =
  | { readonly ok: true; readonly value: Output }
  /** The faults of the value, one per line with its path. */
  | { readonly ok: false; readonly problem: string };

/** A refinement that throws, or is async, makes the value invalid. */
export function validateValue<Input, Output>(schema: ToolSchema<Input, Output>, value: unknown): Validated<Output> {
  try {
    const result = schema['~standard'].validate(value);
    if (result instanceof Promise) {
      result.catch(() => {});
      return { ok: false, problem: 'the schema validates asynchronously, which tools cannot use' };
    }
    if (result.issues === undefined) return { ok: true, value: result.value };
    return { ok: false, problem: result.issues.map(formatIssue).join('\n') };
  } catch (error) {
    return { ok: false, problem: toErrorMessage(error) };
  }
}

/** Returns the faults of a value, one per line with its path, or null. */
export function validateInput(schema: ToolSchema, value: unknown): string | null {
  const validated = validateValue(schema, value);
  return validated.ok ? null : validated.problem;
}

function formatIssue({ message, path = [] }: StandardSchemaV1.Issue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`;
}
