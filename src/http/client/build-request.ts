/** The input of a method as a request. */

import { LonghandError } from '../../core/lib/index.js';
import type { Route } from '../routes.js';

/** A request without the credential. */
export interface PlainRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Input = Readonly<Record<string, unknown>>;

const accepted: { readonly [kind in Route['result']]: string } = {
  json: 'application/json',
  empty: 'application/json',
  stream: 'text/event-stream',
  bytes: '*/*',
  text: 'text/plain',
};

/** @param base the address of the gateway, without a slash at its end */
export function buildRequest(route: Route, base: string, input: Input): PlainRequest {
  const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = left.get(name);
    left.delete(name);
    return encodeSegment(name, value);
  });
  const query = new URLSearchParams();
  for (const [name, value] of left) {
    if (route.rest === 'body' && !isQueryName(route, name)) continue;
    left.delete(name);
    query.append(name, formatQueryValue(name, value));
  }
  // Below a path, the gateway's own address has no slash.
  const url = `${base}${path === '/' ? '' : path}${query.size === 0 ? '' : `?${query}`}`;
  const headers = { accept: accepted[route.result] };
  if (route.rest === 'query') return { method: route.method, url, headers };
  return {
    method: route.method,
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(left)),
  };
}

function isQueryName({ query = {} }: Route, name: string): boolean {
  return Object.hasOwn(query, name);
}

/** Addresses lose the segments `.` and `..`, also encoded: the request would be for another path. */
function encodeSegment(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
    throw new LonghandError(
      'invalid_options',
      `Invalid ${name} ${JSON.stringify(value)}. Pass a text, not "." or "..".`,
    );
  }
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw new LonghandError('invalid_options', `Invalid ${name}: it has half of a surrogate pair.`, { cause });
  }
}

/** Lists are joined by commas. */
function formatQueryValue(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.join(',');
  throw new LonghandError('invalid_options', `Invalid ${name}. Pass a text, a number, true, false or a list of texts.`);
}
