/**
 * Mounts an operation: every request passes the same checks in the same order, so that no route can leave one out.
 *
 * 1. Who sends it (identity), and whether that has the scope.
 * 2. Whether its parts match the schemas.
 * 3. Whether the chain in its path is within the caller's reach.
 * 4. The handler, within the time for a request.
 */

import type { Context, Hono } from 'hono';
import type { ZodType } from 'zod';
import { isTooDeep } from '../../core/lib/json.js';
import type { Operation, Scope } from '../../http/operation.js';
import { type Identity, toViewer } from '../identity/identity.js';
import type { GatewayServices, RequestContext } from './context.js';
import { createInvalidRequest, GatewayError } from './problems.js';
import type { ReachChain } from './reach.js';

/** What a mounted operation needs. */
export interface MountOptions {
  readonly services: GatewayServices;
  readonly reach: ReachChain;
  /** @throws {GatewayError} `unauthenticated`, `too_many_requests` */
  readonly identify: (c: Context) => Promise<Identity>;
  /** Milliseconds for a request that returns no stream. */
  readonly timeoutMs: number;
}

/** A handler, without the types of its operation. */
export type AnyHandler = (
  input: { readonly params: unknown; readonly query: unknown; readonly headers: unknown; readonly body: unknown },
  context: RequestContext & { readonly chain?: Awaited<ReturnType<ReachChain>> },
) => Promise<unknown>;

export function mountOperation(app: Hono, operation: Operation, handler: AnyHandler, options: MountOptions): void {
  const { services, reach, identify, timeoutMs } = options;
  app.on(operation.method, toHonoPath(operation.path), async (c) => {
    const identity = operation.scope === null ? anonymous : await identify(c);
    if (operation.scope !== null) checkScope(identity, operation.scope);
    const input = await parseInput(c, operation);
    const timeout = operation.result.kind === 'stream' ? null : AbortSignal.timeout(timeoutMs);
    const { signal: gone } = c.req.raw;
    const signal = timeout === null ? gone : AbortSignal.any([gone, timeout]);
    const context: RequestContext = {
      ...services,
      identity,
      request: c.req.raw,
      signal,
      reach: (chainId) => reach(identity, chainId),
      toViewer: async (role, expanded) => toViewer(identity, role, expanded),
      recordShown: async () => {},
    };
    const answer = async () => {
      const chainId = c.req.param('chainId');
      return handler(input, chainId === undefined ? context : { ...context, chain: await context.reach(chainId) });
    };
    const value = await (timeout === null ? answer() : withinTime(answer, timeout));
    return value instanceof Response ? value : toResponse(value, operation);
  });
}

/** Of operations without authentication. It reaches no chain. */
const anonymous: Identity = {
  id: 'anonymous',
  by: 'anonymous',
  tenant: '',
  user: null,
  roles: [],
  scopes: new Set(),
  views: ['end_user'],
  reach: 'own',
  requestsPerMinute: null,
};

function checkScope({ scopes }: Identity, needed: Scope): void {
  if (scopes.has(needed)) return;
  throw new GatewayError('scope_missing', `This operation needs the scope ${needed}. Use a credential that has it.`);
}

/** `/v1/chains/{chainId}` as Hono writes it. */
export function toHonoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

async function parseInput(c: Context, { params, query, headers, body }: Operation) {
  return {
    params: parsePart('path', params, c.req.param()),
    query: parsePart('query', query, c.req.query()),
    headers: parsePart('header', headers, headers === undefined ? {} : pickHeaders(c, headers)),
    body: body === undefined ? undefined : parsePart('body', body, await readJson(c)),
  };
}

function parsePart(part: string, schema: ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw createInvalidRequest(part, parsed.error);
  return parsed.data;
}

function pickHeaders(c: Context, schema: NonNullable<Operation['headers']>): Record<string, string> {
  const names = Object.keys(schema.shape);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = c.req.header(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** JSON only: a page of another site can send forms and texts without a preflight, but not this media type. */
async function readJson(c: Context): Promise<unknown> {
  const mediaType = c.req.header('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(mediaType)) {
    throw new GatewayError('media_type_unsupported', 'Send the body as JSON, with `content-type: application/json`.');
  }
  const value = parseJson(await c.req.text());
  if (isTooDeep(value))
    throw new GatewayError('request_invalid', 'The body has too many levels. Send a flatter value.');
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new GatewayError('request_invalid', 'The body is not valid JSON.');
  }
}

async function withinTime<T>(answer: () => Promise<T>, timeout: AbortSignal): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    timeout.addEventListener('abort', () =>
      reject(new GatewayError('timed_out', 'The request took too long. Read less at once, or try again.')),
    );
  });
  return Promise.race([answer(), late]);
}

function toResponse(value: unknown, { result }: Operation): Response {
  if (result.kind === 'empty') return new Response(null, { status: 204 });
  if (result.kind !== 'json') throw new TypeError(`The handler of a ${result.kind} returned no response.`);
  return new Response(JSON.stringify(value), {
    status: result.status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  });
}
