/** The arguments of `http_request`, and what is sent of them. */

import { z } from 'zod';
import { NotDone } from '../../define/index.js';

export const knownMethods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export type HttpMethod = (typeof knownMethods)[number];

const withoutEffect: ReadonlySet<HttpMethod> = new Set(['GET', 'HEAD', 'OPTIONS'] as const);

/** Returns whether a request of the method may change something. */
export function hasEffect(method: HttpMethod): boolean {
  return !withoutEffect.has(method);
}

/** @param methods at least one; the first is the default */
export function createInputSchema(methods: readonly HttpMethod[]) {
  const [first = 'GET', ...others] = methods;
  const takesBody = methods.some(hasEffect);
  return z.object({
    method: z.enum([first, ...others]).default(first),
    url: z.string().min(1).describe('In full: https://api.example.com/path'),
    query: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .describe('Parameters that are added to the URL'),
    headers: z.record(z.string(), z.string()).optional(),
    ...(takesBody ? { body: z.unknown().optional().describe('JSON, sent as application/json; or a text') } : {}),
  });
}

/** Adds parameters to the text: a URL that is parsed and written again has lost what `checkUrl` rejects. */
export function addQuery(url: string, query: Readonly<Record<string, string | number | boolean>> = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.append(name, String(value));
  const added = parameters.toString();
  if (added === '') return url;
  const [before = '', ...hash] = url.split('#');
  return [`${before}${before.includes('?') ? '&' : '?'}${added}`, ...hash].join('#');
}

/** @throws {NotDone} for a body of a method that has none */
export function toRequestBody(
  body: unknown,
  method: HttpMethod,
): { readonly bytes: Uint8Array; readonly type: string } | null {
  if (body === undefined) return null;
  if (!hasEffect(method)) throw new NotDone(`A ${method} request has no body. Leave it out. Nothing was sent.`);
  return typeof body === 'string'
    ? { bytes: Buffer.from(body), type: 'text/plain; charset=utf-8' }
    : { bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' };
}
