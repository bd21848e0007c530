/** JSON pointers to a part of a document, such as `#/$defs/user`, as schemas and OpenAPI documents refer to it. */

import { findOwn, isObject, type Json } from './json.js';

/** Returns the decoded names of a pointer, with or without `#` before it; none for the whole document. */
export function splitPointer(pointer: string): readonly string[] {
  return pointer.replace(/^#/, '').split('/').slice(1).map(decodeName);
}

/** Returns the value that a pointer refers to. */
export function findAtPointer(root: Json, pointer: string): Json | undefined {
  return splitPointer(pointer).reduce<Json | undefined>(findPart, root);
}

/** Returns a member of an object, or an item of a list by its position. */
export function findPart(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) ? findOwn(value, name) : undefined;
}

/** Decodes a name such as `a~1b`. One that is encoded wrongly is taken as it is written. */
function decodeName(name: string): string {
  return decodePercent(name).replaceAll('~1', '/').replaceAll('~0', '~');
}

function decodePercent(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
