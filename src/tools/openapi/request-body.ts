/** Bodies of requests: which type of an operation is sent, and how. */

import { findOwn, isObject, type Json, type JsonObject } from '../../core/lib/index.js';
import { NotDone } from '../define/index.js';
import { createOpenApiError, type OpenApiDocument, resolvePart, toObjects } from './document.js';
import { createMultipart } from './multipart.js';
import { toQueryPairs, toText } from './serialize.js';

type BodyFormat = 'json' | 'form' | 'multipart' | 'text';

export interface RequestBody {
  readonly format: BodyFormat;
  /** The header `Content-Type`. Of a multipart body, its boundary is added. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: Json | undefined;
  readonly schema: Json;
  /** How members of a form are written, by name. */
  readonly encoding: JsonObject;
  /** Members of a multipart body that are sent as files. */
  readonly files: ReadonlySet<string>;
}

/** In the order of preference. */
const formats: readonly (readonly [pattern: RegExp, format: BodyFormat])[] = [
  [/^application\/json$/i, 'json'],
  [/^application\/[\w.-]+\+json$/i, 'json'],
  [/^application\/x-www-form-urlencoded$/i, 'form'],
  [/^multipart\/form-data$/i, 'multipart'],
  [/^text\/plain$/i, 'text'],
  [/^(?:\*|application)\/\*$/i, 'json'],
];

/** @returns null for an operation without one @throws {LonghandError} `invalid_options` where no type can be sent */
export function readRequestBody(document: OpenApiDocument, operation: JsonObject, at: string): RequestBody | null {
  if (operation.requestBody === undefined) return null;
  const body = resolvePart(document, operation.requestBody, `the body of ${at}`);
  const content = isObject(body.content) ? Object.entries(body.content) : [];
  for (const [pattern, format] of formats) {
    const entry = content.find(([type]) => pattern.test(toPlainType(type)));
    if (entry === undefined) continue;
    const [type, written] = entry;
    const media = isObject(written) ? written : {};
    const encoding = isObject(media.encoding) ? media.encoding : {};
    return {
      format,
      type: toPlainType(type).includes('*') ? 'application/json' : toPlainType(type),
      isRequired: body.required === true,
      description: body.description,
      schema: media.schema ?? (format === 'text' ? { type: 'string' } : {}),
      encoding,
      files: format === 'multipart' ? listFiles(document, media.schema, encoding, at) : new Set(),
    };
  }
  const types = content.map(([type]) => type).join(', ');
  if (body.required !== true) return null;
  const supported = 'JSON, forms (application/x-www-form-urlencoded, multipart/form-data) and text/plain are supported';
  throw createOpenApiError(
    `the body of ${at} has the types ${types || 'none'}; ${supported}. Leave it out with \`only\`.`,
  );
}

function toPlainType(type: string): string {
  return type.split(';')[0]?.trim() ?? '';
}

export interface EncodedBody {
  readonly bytes: Uint8Array;
  readonly type: string;
}

/** @throws {NotDone} for a value that the type cannot have */
export function encodeBody({ format, type, encoding, files }: RequestBody, value: Json): EncodedBody {
  if (format === 'json') return { bytes: Buffer.from(JSON.stringify(value)), type };
  if (format === 'text') return { bytes: Buffer.from(toText(value)), type: `${type}; charset=utf-8` };
  if (!isObject(value)) throw new NotDone('The body must be an object with named members. Nothing was sent.');
  if (format === 'form') return { bytes: Buffer.from(encodeForm(value, encoding)), type };
  return encodeMultipart(value, { encoding, files });
}

function encodeForm(value: JsonObject, encoding: JsonObject): string {
  const pairs = Object.entries(value).flatMap(([name, member]) => {
    const { style, explode } = readStyle(findOwn(encoding, name), member);
    return toQueryPairs({ name, style, explode }, member);
  });
  return pairs.map(([name, text]) => `${name}=${text}`).join('&');
}

/** Without a style, an object is JSON, and a list has a pair for each item. */
function readStyle(rule: Json | undefined, value: Json) {
  const style = isObject(rule) ? rule.style : undefined;
  const explode = isObject(rule) && typeof rule.explode === 'boolean' ? rule.explode : undefined;
  if (style === 'deepObject' || style === 'spaceDelimited' || style === 'pipeDelimited')
    return { style, explode: explode ?? style === 'deepObject' } as const;
  if (style === undefined && explode === undefined && isObject(value))
    return { style: 'json', explode: false } as const;
  return { style: 'form', explode: explode ?? true } as const;
}

/** Members that are binary, or that have a type of their own which is neither plain text nor JSON. */
function listFiles(
  document: OpenApiDocument,
  schema: Json | undefined,
  encoding: JsonObject,
  at: string,
): ReadonlySet<string> {
  const { properties } = schema === undefined ? {} : resolvePart(document, schema, `the body of ${at}`);
  const isFile = ([name, written]: readonly [string, Json]) => {
    const own = findOwn(encoding, name);
    const type = isObject(own) && typeof own.contentType === 'string' ? own.contentType : '';
    if (type !== '') return !/^(?:text\/plain|application\/json)\b/i.test(type);
    if (!isObject(written)) return false;
    const member = resolvePart(document, written, `the body of ${at}, ${name}`);
    const item = isObject(member.items) ? resolvePart(document, member.items, `the body of ${at}, ${name}`) : member;
    return item.format === 'binary' || typeof item.contentMediaType === 'string';
  };
  return new Set(
    toObjects(properties)
      .filter(isFile)
      .map(([name]) => name),
  );
}

interface MultipartRules {
  readonly encoding: JsonObject;
  readonly files: ReadonlySet<string>;
}

/** Each item of a list is a part. Objects are JSON. */
function encodeMultipart(value: JsonObject, { encoding, files }: MultipartRules): EncodedBody {
  const parts = Object.entries(value).flatMap(([name, member]) => {
    if (member === null) return [];
    const own = findOwn(encoding, name);
    const rawType =
      isObject(own) && typeof own.contentType === 'string' ? own.contentType.split(',')[0]?.trim() : undefined;
    const items: readonly Json[] = Array.isArray(member) ? member : [member];
    return items.map((item) => {
      const ownType = typeof item === 'object' && item !== null ? 'application/json' : null;
      const fileType = files.has(name) ? 'text/plain; charset=utf-8' : ownType;
      return { name, text: toText(item), type: isHeaderText(rawType) ? rawType : fileType, isFile: files.has(name) };
    });
  });
  return createMultipart(parts);
}

function isHeaderText(type: string | undefined): type is string {
  return type !== undefined && /^[\w.+-]+\/[\w.+-]+(?:; ?[\w=."-]+)*$/.test(type);
}
