/** Arguments against the JSON Schema that the model was shown of a tool. Its own refinements are checked where it runs. */

import { type ValidationResult, Validator } from '@cfworker/json-schema';
import type { Json, JsonObject } from '../lib/json.js';

/** What is wrong, one fault after the other with where it is, or null. */
export function problemWithInput(schema: JsonObject, input: Json): string | null {
  const { valid, errors } = validate(schema, input);
  if (valid) return null;
  // A fault deep down is told of everything around it, too.
  const places = errors.map(({ instanceLocation }) => instanceLocation);
  const deepest = errors.filter(({ instanceLocation: at }) => !places.some((other) => other.startsWith(`${at}/`)));
  // What has a name is written as a pattern besides: the name says more.
  const named = new Set(
    deepest.flatMap(({ keyword, instanceLocation }) => (keyword === 'format' ? [instanceLocation] : [])),
  );
  const told = deepest.filter(({ keyword, instanceLocation }) => keyword !== 'pattern' || !named.has(instanceLocation));
  return told.map(({ instanceLocation, error }) => `${place(instanceLocation)}${error}`).join(' ');
}

/** A schema that cannot be followed says nothing of any arguments: the tool checks its own where it runs. */
function validate(schema: JsonObject, input: Json): Pick<ValidationResult, 'valid' | 'errors'> {
  try {
    return new Validator(schema, '2020-12', false).validate(input);
  } catch {
    return { valid: true, errors: [] };
  }
}

/** `#/user/name` as `user.name: ` */
function place(location: string): string {
  const path = location.replace(/^#\/?/, '').replaceAll('/', '.');
  return path === '' ? '' : `${path}: `;
}
