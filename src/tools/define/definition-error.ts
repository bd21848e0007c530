/** How a bad definition is refused: by whom, which one it is, and what to write instead. */

import { isObject } from '../../core/lib/json.js';

export type DefinitionErrorFactory = (what: string) => TypeError;

/**
 * Complaints about one definition, in its name.
 *
 * @throws {TypeError} when it has none that would do
 */
export function createDefinitionErrorFactory(
  by: 'defineAgent' | 'defineTool' | 'definePlan',
  definition: unknown,
): DefinitionErrorFactory {
  if (!isObject(definition)) throw new TypeError(`${by}: write a definition: ${by}({ name: 'some_name', … }).`);
  const { name } = definition;
  if (isName(name)) return (what) => new TypeError(`${by}: ${name}: ${what}`);
  const written = typeof name === 'string' ? JSON.stringify(name) : String(name);
  throw new TypeError(
    `${by}: the name ${written} must begin with a letter and hold only letters, digits, _ and -, 64 at most.`,
  );
}

/** What providers take as the name of a tool, and Temporal as that of an activity. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(value);
}
