/**
 * Mounts an operation: every request passes the same checks in the same order, so that no route can leave one out.
 *
 * 1. The identity of the caller, its rate limit, and whether it has the scope.
 * 2. Whether the parts of the request match the schemas.
 * 3. Whether the chain in its path is within the caller's reach.
 * 4. The handler, within the time for a request.
 */

import { setMaxListeners } from 'node:events';
import type { Context, Hono } from 'hono';
import type { ZodType } from 'zod';
import { createLinkedAbort } from '../../client/index.js';
import type { Operation, Scope } from '../../http/index.js';
import { markOperation } from '../../timing/index.js';
import { type Identity, toViewer } from '../identity/identity.js';
import type { AuthorizeChain } from './authorize-chain.js';
import type { GatewayServices, ReachedChain, RequestContext } from './context.js';
import { createInvalidRequest, GatewayError } from './problems.js';
import { readJson } from './read-json.js';
import { recordShown } from './record-shown.js';
import type { EnterStream } from './stream-quota.js';

/** Values of a request that the whole gateway reads. */
export interface GatewayEnv {
  readonly Variables: {
    /** Id of the operation that took the request. */
    operationId: string;
    /** Id of the caller, for the log. */
    caller: string;
    /** Id of the chain, for the log. */
    chainId: string | undefined;
  };
}

/** What a mounted operation needs. */
export interface MountOptions {
  readonly services: GatewayServices;
  readonly reach: AuthorizeChain;
  /** @throws {GatewayError} `unauthenticated`, `too_many_requests` */
  readonly identify: (c: Context<GatewayEnv>) => Promise<Identity>;
  /** Returns a signal that ends a stream: the client has gone, or its credential is no longer valid. */
  readonly watchStream: (request: Request, identity: Identity, closed: AbortSignal) => AbortSignal;
  readonly enterStream: EnterStream;
  readonly onStreamDropped: RequestContext['onStreamDropped'];
  /** Aborted when the gateway stops. */
  readonly closing: AbortSignal;
  /** Milliseconds for a request that returns no stream. */
  readonly timeoutMs: number;
  /** Most bytes of a body with files. */
  readonly bodyBytes: number;
}

/** A handler, without the types of its operation. */
export type AnyHandler = (
  input: { readonly params: unknown; readonly query: unknown; readonly headers: unknown; readonly body: unknown },
  context: RequestContext & { readonly chain?: ReachedChain },
) => Promise<unknown>;

export function mountOperation(
  app: Hono<GatewayEnv>,
  operationId: string,
  operation: Operation,
  handler: AnyHandler,
  options: MountOptions,
): void {
  app.on(operation.method, toHonoPath(operation.path), async (c) => {
    c.set('operationId', operationId);
    const identity = operation.scope === null ? anonymous : await options.identify(c);
    c.set('caller', identity.id);
    c.set('chainId', c.req.param('chainId'));
    if (operation.scope !== null) checkScope(identity, operation.scope);
    markOperation(operationId);
    const input = await parseInput(c, operation, options.bodyBytes);
    const begin = async (signal: AbortSignal, onStreamClosed: () => void) => {
      const nameInLog: RequestContext['nameInLog'] = (names) => {
        if (names.chainId !== undefined) c.set('chainId', names.chainId);
        if (names.caller !== undefined) c.set('caller', names.caller);
      };
      const context = createContext(c.req.raw, {
        operationId,
        identity,
        signal,
        onStreamClosed,
        nameInLog,
        ...options,
      });
      const chainId = c.req.param('chainId');
      const chain = chainId === undefined ? undefined : await context.reach(chainId);
      markOperation(operationId);
      return handler(input, chain === undefined ? context : { ...context, ...addChain(context, chain) });
    };
    const value =
      operation.result.kind === 'stream'
        ? await openStream(c.req.raw, identity, begin, options)
        : await answerInTime(c.req.raw, begin, options);
    const response = value instanceof Response ? value : toResponse(value, operation);
    // The server sends the head alone: a stream would never be read, nor ended.
    if (c.req.raw.method === 'HEAD') await response.body?.cancel();
    return response;
  });
}

type Begin = (signal: AbortSignal, onStreamClosed: () => void) => Promise<unknown>;

async function openStream(
  request: Request,
  identity: Identity,
  begin: Begin,
  { watchStream, enterStream }: MountOptions,
): Promise<unknown> {
  const leaveQuota = enterStream(identity);
  const closed = new AbortController();
  const leave = () => {
    closed.abort();
    leaveQuota();
  };
  try {
    const value = await begin(watchStream(request, identity, closed.signal), leave);
    if (!(value instanceof Response) || value.body === null) leave();
    return value;
  } catch (error) {
    leave();
    throw error;
  }
}

/** The reading of Temporal ends with the request. A change that was sent is not called back. */
async function answerInTime(
  request: Request,
  begin: Begin,
  { services, timeoutMs }: Pick<MountOptions, 'services' | 'timeoutMs'>,
): Promise<unknown> {
  const { signal, abort, unlink } = createLinkedAbort(request.signal);
  // One for each call of Temporal, whose client never removes them.
  setMaxListeners(0, signal);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      abort();
      reject(new GatewayError('timed_out', 'The request took too long. Read less at once, or try again.'));
    }, timeoutMs);
  });
  const answer = () => begin(signal, () => {});
  const { client } = services.longhand;
  try {
    return await Promise.race([request.method === 'GET' ? client.withAbortSignal(signal, answer) : answer(), late]);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

interface ContextParts
  extends Pick<MountOptions, 'services' | 'reach' | 'closing' | 'onStreamDropped'>,
    Pick<RequestContext, 'identity' | 'signal' | 'onStreamClosed' | 'nameInLog'> {
  readonly operationId: string;
}

function createContext(
  request: Request,
  { operationId, services, reach, identity, ...parts }: ContextParts,
): RequestContext {
  return {
    ...services,
    identity,
    request,
    signal: parts.signal,
    closing: parts.closing,
    nameInLog: parts.nameInLog,
    onStreamClosed: parts.onStreamClosed,
    onStreamDropped: parts.onStreamDropped,
    reach: (chainId) => reach(identity, chainId),
    toViewer: async (role, expanded) => toViewer(identity, role, expanded),
    recordShown: (role, chains) => recordShown(services, { identity, role, operation: operationId }, chains),
  };
}

/** In an operation on a chain, the read is recorded with the viewer: no handler can leave it out. */
function addChain({ toViewer: create, recordShown: record }: RequestContext, chain: ReachedChain) {
  const createRecorded: RequestContext['toViewer'] = async (role, expanded) => {
    const viewer = await create(role, expanded);
    await record(viewer.role, [chain]);
    return viewer;
  };
  return { chain, toViewer: createRecorded };
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

async function parseInput(c: Context, operation: Operation, bodyBytes: number) {
  const { params, query, headers, body } = operation;
  return {
    params: parsePart('path', params, c.req.param()),
    query: parsePart('query', query, c.req.query()),
    headers: parsePart('header', headers, headers === undefined ? {} : pickHeaders(c, headers)),
    body: body === undefined ? undefined : parsePart('body', body, await readJson(c.req.raw, operation, bodyBytes)),
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

function toResponse(value: unknown, { result }: Operation): Response {
  if (result.kind === 'empty') return new Response(null, { status: 204 });
  if (result.kind !== 'json') throw new TypeError(`The handler of a ${result.kind} returned no response.`);
  return new Response(JSON.stringify(value), {
    status: result.status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  });
}
