/** Writes values of parameters and of forms as texts, by their styles (RFC 6570, as OpenAPI uses it). */

import { isObject, type Json } from '../../core/lib/index.js';
import { NotDone } from '../define/index.js';
import type { ParameterStyle } from './parameters.js';

/** A name and its value, both encoded for a query. */
export type QueryPair = readonly [name: string, value: string];

export interface StyledValue {
  readonly name: string;
  readonly style: ParameterStyle;
  readonly explode: boolean;
}

/**
 * Returns the pairs of a value in a query or a form; none for null and for an empty list or object.
 *
 * @throws {NotDone} for an item that contains the delimiter: a server could not know where it ends
 */
export function toQueryPairs({ name, style, explode }: StyledValue, value: Json): readonly QueryPair[] {
  const key = encode(name);
  if (style === 'json') return [[key, encode(JSON.stringify(value))]];
  if (value === null) return [];
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => encode(toText(item)));
    if (style === 'deepObject' || explode) return items.map((item) => [key, item]);
    const delimiter = delimiters[style] ?? ',';
    if (items.some((item) => item.includes(delimiter)))
      throw new NotDone(`An item of ${name} contains what separates items. Nothing was sent.`);
    return items.length === 0 ? [] : [[key, items.join(delimiter)]];
  }
  if (!isObject(value)) return [[key, encode(toText(value))]];
  const members = Object.entries(value).filter(([, member]) => member !== null);
  if (style === 'deepObject') return members.flatMap(([member, each]) => toDeepPairs(`${name}[${member}]`, each));
  if (explode) return members.map(([member, each]) => [encode(member), encode(toText(each))]);
  const parts = members.flatMap(([member, each]) => [encode(member), encode(toText(each))]);
  return parts.length === 0 ? [] : [[key, parts.join(delimiters[style] ?? ',')]];
}

const delimiters: { readonly [style: string]: string } = { spaceDelimited: '%20', pipeDelimited: '%7C' };

/** The specification has one level only. Deeper ones are written as most servers read them. */
function toDeepPairs(name: string, value: Json): readonly QueryPair[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.map((item: Json) => [encode(name), encode(toText(item))]);
  if (!isObject(value)) return [[encode(name), encode(toText(value))]];
  return Object.entries(value).flatMap(([member, each]) => toDeepPairs(`${name}[${member}]`, each));
}

/** Returns the text of a value in a path or a header: `1,2`, `a,1,b,2` or, exploded, `a=1,b=2`. */
export function toSimpleText(
  { style, explode }: Omit<StyledValue, 'name'>,
  value: Json,
  encodePart: (text: string) => string,
): string {
  if (style === 'json') return encodePart(JSON.stringify(value));
  if (Array.isArray(value)) return value.map((item: Json) => encodePart(toText(item))).join(',');
  if (!isObject(value)) return encodePart(toText(value));
  return Object.entries(value)
    .map(([member, each]) => `${encodePart(member)}${explode ? '=' : ','}${encodePart(toText(each))}`)
    .join(',');
}

/** What is within a list or an object of a style has no style of its own: it is JSON. */
export function toText(value: Json): string {
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
}

/** @throws {URIError} for a text with half of a surrogate pair */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
