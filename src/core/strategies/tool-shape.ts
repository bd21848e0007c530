/** What the reading of a call needs to know of a tool: which arguments it takes. */

import type { Json, JsonObject } from '../lib/json.js';
import { isObject, own } from '../lib/json.js';

export interface ToolShape {
  /** Names of its arguments in order, or null where they are not known. */
  readonly params: readonly string[] | null;
  /** Those that a call must have, or null where they are not known. */
  readonly required: readonly string[] | null;
  readonly schema: JsonObject;
}

export const unknownShape: ToolShape = { params: null, required: null, schema: {} };

export function shapeOf(schema: JsonObject): ToolShape {
  const properties = own(schema, 'properties');
  const listed = own(schema, 'required');
  const required = Array.isArray(listed) ? listed.filter((name): name is string => typeof name === 'string') : [];
  if (isObject(properties)) return { params: Object.keys(properties), required, schema };
  if (own(schema, 'type') !== 'object') return unknownShape;
  // An object without named members: nothing is required, and anything may be given.
  return { params: null, required, schema };
}

/** The argument that a bare value stands for, or null when there is no telling. */
export function soleParam(shape: ToolShape): string | null {
  if (shape.params === null) return shape.required?.length === 1 ? (shape.required[0] ?? null) : 'input';
  if (shape.params.length === 1) return shape.params[0] ?? null;
  return shape.required?.length === 1 ? (shape.required[0] ?? null) : null;
}

/** A bare value as its argument takes it: digits are a text where a text is wanted. */
export function fitted(value: Json, written: string, param: string, shape: ToolShape): Json {
  const properties = own(shape.schema, 'properties');
  const schema = isObject(properties) ? own(properties, param) : undefined;
  const wanted = isObject(schema) ? own(schema, 'type') : undefined;
  return wanted === 'string' && (typeof value === 'number' || typeof value === 'boolean') ? written : value;
}
