/** The operations of a document, with the names of their tools. */

import { computeDigest, type JsonObject } from '../../core/lib/index.js';
import { createOpenApiError, type OpenApiDocument, resolvePart, toObjects } from './document.js';

const knownMethods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const;

export interface Operation {
  /** Of the tool, without a prefix. */
  readonly name: string;
  /** In upper case. */
  readonly method: string;
  /** With `{parameter}`. */
  readonly path: string;
  /** For errors: `POST /pets`. */
  readonly place: string;
  /** What all operations of the path share. */
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

const maxNameLength = 64;

/** @param prefix of the names @throws {LonghandError} `invalid_options` for two operations with one name */
export function listOperations(document: OpenApiDocument, prefix: string): readonly Operation[] {
  const operations = toObjects(document.root.paths).flatMap(([path, written]) => {
    if (path.startsWith('x-')) return [];
    const item = resolvePart(document, written, `the path ${path}`);
    return knownMethods.flatMap((method) => {
      if (item[method] === undefined) return [];
      const place = `${method.toUpperCase()} ${path}`;
      const operation = resolvePart(document, item[method], place);
      const name = chooseName(operation.operationId, `${method}${path}`, maxNameLength - prefix.length);
      return [{ name, method: method.toUpperCase(), path, place, item, operation }];
    });
  });
  if (operations.length === 0) throw createOpenApiError('the document has no operation in paths.');
  const byName = new Map<string, Operation>();
  for (const operation of operations) {
    const other = byName.get(operation.name);
    if (other !== undefined) {
      const fix = 'Give each an operationId of its own';
      throw createOpenApiError(`${other.place} and ${operation.place} both have the name ${operation.name}. ${fix}.`);
    }
    byName.set(operation.name, operation);
  }
  return operations;
}

/** A path parameter is `by_…`, so that `/pets` and `/pets/{id}` differ. */
function chooseName(operationId: unknown, fallback: string, length: number): string {
  const own = typeof operationId === 'string' ? cleanName(operationId) : '';
  const full = own === '' ? cleanName(fallback.replace(/\{([^{}]*)\}/g, 'by_$1')) : own;
  if (full.length <= length || length < 16) return full;
  return `${full.slice(0, length - 7)}_${computeDigest(full).slice(0, 6)}`;
}

function cleanName(text: string): string {
  const name = text.replace(/[^\w-]+/g, '_').replace(/^[_-]+|[_-]+$/g, '');
  return /^\d/.test(name) ? `_${name}` : name;
}

/** Names of the parameters in a path. @throws {LonghandError} `invalid_options` for a path that cannot be requested */
export function listPathNames({ path, place }: Pick<Operation, 'path' | 'place'>): readonly string[] {
  const fixed = path.replace(/\{[^{}]*\}/g, 'x');
  const isDotted = fixed.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part));
  if (!/^\/[\w\-./~%!$&'()*+,;=:@]*$/.test(fixed) || isDotted)
    throw createOpenApiError(`the path of ${place} cannot be requested: write it encoded, without query, . and ...`);
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}
