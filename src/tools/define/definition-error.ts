/** Errors of invalid definitions: the defining function, the name of the definition, and the fix. */

import { type ErrorCode, isObject, LonghandError } from '../../core/lib/index.js';
import { isName } from '../../core/model/index.js';

export type DefinitionErrorFactory = (message: string) => Error;

const codes = {
  defineAgent: 'invalid_agent',
  defineTool: 'invalid_tool',
  activityTool: 'invalid_tool',
  workflowTool: 'invalid_tool',
  definePlan: 'invalid_plan',
  defineStrategy: 'invalid_strategy',
} as const satisfies { readonly [by: string]: ErrorCode };

/**
 * Returns a function that creates the errors of one definition.
 *
 * @throws {LonghandError} if the definition is not an object or has no valid name
 */
export function createDefinitionErrorFactory(by: keyof typeof codes, definition: unknown): DefinitionErrorFactory {
  const createError = (message: string) => new LonghandError(codes[by], `${by}: ${message}`);
  if (!isObject(definition)) throw createError(`the definition must be an object: ${by}({ name: 'some_name', … }).`);
  const { name } = definition;
  if (isName(name)) return (message) => createError(`${name}: ${message}`);
  const text = typeof name === 'string' ? JSON.stringify(name) : String(name);
  throw createError(
    `the name ${text} must begin with a letter or _ and contain only letters, digits, _ and -, at most 64.`,
  );
}
