/** JSON pointers to a part of a document, such as `#/$defs/user`, as schemas and OpenAPI documents refer to it. */

import { findOwn, isObject, type Json, type JsonObject } from './json.js';

/** Returns the value that a pointer refers to, with or without `#` before it; undefined for an anchor or another document. */
export function findAtPointer(root: Json, pointer: string): Json | undefined {
  if (!/^#?(?:\/|$)/.test(pointer)) return undefined;
  // Zod leaves percent signs in the names of definitions as they are.
  return listNames(pointer).reduce<Json | undefined>(
    (at, name) => findPart(at, unescapeName(name)) ?? findPart(at, decodeName(name)),
    root,
  );
}

/** Returns the decoded names of a pointer; none for the whole document. */
export function splitPointer(pointer: string): readonly string[] {
  return listNames(pointer).map(decodeName);
}

/** Returns a member of an object, or an item of a list by its position. */
export function findPart(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) ? findOwn(value, name) : undefined;
}

/** References that lead to each other; schemas may be recursive. */
const maxHops = 5;

/** Follows `$ref` of a schema into its document, and keeps the members next to it. An object without any for other values. */
export function dereference(schema: Json | undefined, root: JsonObject, hops = 0): JsonObject {
  if (!isObject(schema)) return {};
  const reference = findOwn(schema, '$ref');
  if (typeof reference !== 'string' || hops >= maxHops) return schema;
  const { $ref: _, ...siblings } = schema;
  return { ...dereference(findAtPointer(root, reference), root, hops + 1), ...siblings };
}

function listNames(pointer: string): readonly string[] {
  return pointer.replace(/^#/, '').split('/').slice(1);
}

/** Decodes a name such as `a~1b`. A percent sign that encodes nothing is taken as it is written. */
function decodeName(name: string): string {
  try {
    return unescapeName(decodeURIComponent(name));
  } catch {
    return unescapeName(name);
  }
}

function unescapeName(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
