/** The request of a call: the URL, headers and body of its arguments. Checked before anything is sent. */

import { findOwn, type Json, type JsonObject } from '../../core/lib/index.js';
import { NotDone } from '../define/index.js';
import type { OperationInput } from './input.js';
import type { Operation } from './operations.js';
import type { Parameter } from './parameters.js';
import { type EncodedBody, encodeBody, type RequestBody } from './request-body.js';
import { encode, type QueryPair, toQueryPairs, toSimpleText } from './serialize.js';
import type { BaseUrl } from './servers.js';

export interface OperationRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: EncodedBody | null;
}

export interface RequestParts {
  readonly operation: Operation;
  readonly base: BaseUrl;
  readonly input: OperationInput;
  readonly body: RequestBody | null;
  /** Names of parameters in the query that the arguments must not set. */
  readonly reserved: readonly string[];
}

/** @throws {NotDone} for arguments that cannot be sent, or that would lead to another place */
export function createRequest(
  { operation, base, input, body, reserved }: RequestParts,
  args: JsonObject,
): OperationRequest {
  const values = new Map<Parameter, Json>();
  for (const [argument, parameter] of input.parameters) {
    const value = findOwn<Json>(args, argument);
    if (value !== undefined) values.set(parameter, value);
  }
  try {
    const path = fillPath(operation.path, values);
    const query = writeQuery(values, [...input.parameters.values()], reserved);
    const url = `${base.origin}${base.path}${path}${query === '' ? '' : `?${query}`}`;
    // The parser would remove dots from the path: then another operation would be requested.
    if (new URL(url).pathname !== `${base.path}${path}`) throw notSent('the path would be another one');
    return { url, headers: writeHeaders(values), body: writeBody(input, body, args) };
  } catch (error) {
    if (error instanceof URIError) throw notSent('a text has half of a surrogate pair');
    throw error;
  }
}

function notSent(why: string): NotDone {
  return new NotDone(`The request is invalid: ${why}. Nothing was sent.`);
}

function fillPath(path: string, values: ReadonlyMap<Parameter, Json>): string {
  return path.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const entry = [...values].find(([parameter]) => parameter.place === 'path' && parameter.name === name);
    const [parameter, value = null] = entry ?? [];
    const text = parameter === undefined ? '' : toSimpleText(parameter, value, (part) => part);
    if (parameter === undefined || text === '') throw notSent(`the path parameter ${name} must not be empty`);
    // Servers may decode the text before they split the path.
    if (text.split(/[/\\]/).some((part) => /^\.{1,2}$/.test(part)))
      throw notSent(`the path parameter ${name} must not contain . or .. as a part of a path`);
    return toSimpleText(parameter, value, encode);
  });
}

function writeQuery(
  values: ReadonlyMap<Parameter, Json>,
  known: readonly Parameter[],
  reserved: readonly string[],
): string {
  const taken = new Map<string, Parameter | null>(reserved.map((name) => [encode(name), null]));
  for (const parameter of known) if (parameter.place === 'query') taken.set(encode(parameter.name), parameter);
  const pairs = [...values].flatMap(([parameter, value]): readonly QueryPair[] => {
    if (parameter.place !== 'query') return [];
    const queryPairs = toQueryPairs(parameter, value);
    // The members of an object are names of their own: they must not replace another parameter.
    const other = queryPairs.find(([name]) => taken.has(name) && taken.get(name) !== parameter);
    if (other !== undefined)
      throw notSent(`${parameter.name} has the member ${other[0].slice(0, 100)}, which is another parameter`);
    return queryPairs;
  });
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}

function writeHeaders(values: ReadonlyMap<Parameter, Json>): Readonly<Record<string, string>> {
  const headers = [...values].filter(([{ place }, value]) => place === 'header' && value !== null);
  return Object.fromEntries(
    headers.map(([parameter, value]) => [parameter.name.toLowerCase(), toSimpleText(parameter, value, (part) => part)]),
  );
}

function writeBody(input: OperationInput, body: RequestBody | null, args: JsonObject): EncodedBody | null {
  if (body === null || input.body === null) return null;
  if ('argument' in input.body) {
    const value = findOwn<Json>(args, input.body.argument);
    return value === undefined ? null : encodeBody(body, value);
  }
  const { members } = input.body;
  const value = Object.fromEntries(Object.entries(args).filter(([name]) => members.has(name)));
  return Object.keys(value).length === 0 && !body.isRequired ? null : encodeBody(body, value);
}
