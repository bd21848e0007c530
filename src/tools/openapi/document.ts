/** Reads an OpenAPI document, and finds what it refers to. Nothing is loaded from elsewhere. */

import { parse as parseYaml } from 'yaml';
import {
  findAtPointer,
  formatBytes,
  isObject,
  type Json,
  type JsonObject,
  LonghandError,
  measureJson,
  toErrorMessage,
} from '../../core/lib/index.js';

export interface OpenApiDocument {
  readonly version: '3.0' | '3.1';
  readonly root: JsonObject;
}

const maxBytes = 20_000_000;
const maxDepth = 100;

export function createOpenApiError(message: string): LonghandError {
  return new LonghandError('invalid_options', `openApiTools: ${message}`);
}

/** @param source an object, or the text of one in JSON or YAML @throws {LonghandError} `invalid_options` */
export function readDocument(source: unknown): OpenApiDocument {
  const parsed = typeof source === 'string' ? parseText(source) : source;
  if (!isObject(parsed)) throw createOpenApiError('the document must be an object, or its text in JSON or YAML.');
  // A document whose references were replaced may contain itself: then this count ends at the limit.
  const { bytes, depth } = measureJson(parsed, maxBytes);
  if (bytes > maxBytes || depth > maxDepth) {
    const limits = `${formatBytes(maxBytes)} and ${maxDepth} levels are the limits`;
    throw createOpenApiError(
      `the document is too large, or contains itself: ${limits}. Give it with its references ($ref).`,
    );
  }
  // A copy: the document may be changed later.
  const root = JSON.parse(JSON.stringify(parsed)) as JsonObject;
  const rawVersion = root.openapi ?? root.swagger;
  const [version] = /^3\.[01](?=\.|$)/.exec(String(rawVersion)) ?? [];
  if (version !== undefined && root.openapi !== undefined) return { version: version as '3.0' | '3.1', root };
  const text = rawVersion === undefined ? 'no version' : `version ${JSON.stringify(rawVersion)}`;
  throw createOpenApiError(`the document has ${text}; 3.0 and 3.1 are supported. Convert it first.`);
}

function parseText(text: string): unknown {
  if (text.length > maxBytes) throw createOpenApiError(`the document is larger than ${formatBytes(maxBytes)}.`);
  try {
    return text.trimStart().startsWith('{') ? JSON.parse(text) : parseYaml(text, { maxAliasCount: 100 });
  } catch (error) {
    const [line = ''] = toErrorMessage(error).split('\n');
    throw createOpenApiError(`the text of the document is neither JSON nor YAML: ${line.slice(0, 200)}.`);
  }
}

/** References that lead to one another. */
const maxHops = 20;

/**
 * Follows the reference that a part of the document may be.
 *
 * @returns the part, an object
 * @throws {LonghandError} `invalid_options` for a reference to another document, without a target, or to itself
 */
export function resolvePart({ root }: OpenApiDocument, part: Json | undefined, place: string): JsonObject {
  let target = part;
  for (let hops = 0; isObject(target) && typeof target.$ref === 'string'; hops++) {
    if (hops === maxHops) throw createOpenApiError(`${place} has the reference ${target.$ref}, which has no end.`);
    target = findReference(root, target.$ref, place);
  }
  if (isObject(target)) return target;
  throw createOpenApiError(`${place} must be an object.`);
}

/** @throws {LonghandError} `invalid_options` */
export function findReference(root: JsonObject, reference: string, place: string): Json {
  if (!reference.startsWith('#/')) {
    const fix = 'Bundle the documents into one, with references such as #/components/schemas/Pet';
    throw createOpenApiError(`${place} refers to ${JSON.stringify(reference.slice(0, 200))}. ${fix}.`);
  }
  const target = findAtPointer(root, reference);
  if (target !== undefined) return target;
  throw createOpenApiError(`${place} refers to ${JSON.stringify(reference.slice(0, 200))}, which does not exist.`);
}

export function toObjects(value: Json | undefined): readonly (readonly [name: string, value: Json])[] {
  return isObject(value) ? Object.entries(value) : [];
}
