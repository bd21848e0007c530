/** Parameters of an operation, as the document describes them. */

import { isObject, type Json, type JsonObject, toList } from '../../core/lib/index.js';
import { createOpenApiError, type OpenApiDocument, resolvePart } from './document.js';

type ParameterPlace = 'path' | 'query' | 'header';

/** How a value is written. `json`: as JSON text. */
export type ParameterStyle = 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'json';

export interface Parameter {
  readonly name: string;
  readonly place: ParameterPlace;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly isRequired: boolean;
  readonly description: Json | undefined;
  readonly schema: Json;
}

/** In 3.x, parameters of these names have no meaning: other parts of the document describe these headers. */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'authorization', 'content-type', 'idempotency-key']);

/**
 * Returns the parameters of an operation: its own replace those of its path with the same name and place.
 *
 * @throws {LonghandError} `invalid_options` for a parameter that cannot be sent
 */
export function readParameters(document: OpenApiDocument, item: JsonObject, operation: JsonObject, place: string) {
  const byKey = new Map<string, Parameter>();
  for (const source of [...toList(item.parameters), ...toList(operation.parameters)]) {
    const parameter = readParameter(document, source, place);
    if (parameter !== null) byKey.set(`${parameter.place} ${parameter.name}`, parameter);
  }
  return [...byKey.values()];
}

function readParameter(document: OpenApiDocument, source: Json, operation: string): Parameter | null {
  const part = resolvePart(document, source, `a parameter of ${operation}`);
  const { name, in: place } = part;
  if (typeof name !== 'string' || name === '') throw createOpenApiError(`a parameter of ${operation} has no name.`);
  const at = `the parameter ${JSON.stringify(name)} of ${operation}`;
  if (place === 'cookie') {
    if (part.required !== true) return null;
    throw createOpenApiError(`${at} is a cookie, which is not supported. Leave the operation out with \`only\`.`);
  }
  if (place !== 'path' && place !== 'query' && place !== 'header')
    throw createOpenApiError(`${at} is in ${JSON.stringify(place)}; expected path, query or header.`);
  if (place === 'header' && ignoredHeaders.has(name.toLowerCase())) return null;
  const isRequired = place === 'path' || part.required === true;
  const common = { name, place, isRequired, description: part.description } as const;
  if (isObject(part.content)) {
    const [type = '', content] = Object.entries(part.content)[0] ?? [];
    if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type))
      throw createOpenApiError(`${at} has the type ${JSON.stringify(type)}; only JSON is supported.`);
    return { ...common, style: 'json', explode: false, schema: isObject(content) ? (content.schema ?? {}) : {} };
  }
  const style = typeof part.style === 'string' ? part.style : place === 'query' ? 'form' : 'simple';
  const explode = typeof part.explode === 'boolean' ? part.explode : style === 'form' || style === 'deepObject';
  if (!isStyle(style, place))
    throw createOpenApiError(`${at} has the style ${JSON.stringify(style)}, which is not supported in ${place}.`);
  return { ...common, style, explode, schema: part.schema ?? {} };
}

const queryStyles: ReadonlySet<string> = new Set(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']);

function isStyle(style: string, place: ParameterPlace): style is ParameterStyle {
  return place === 'query' ? queryStyles.has(style) : style === 'simple';
}
