/** The routes of a gateway behind their middleware, as a Hono app. */

import { type Context, Hono } from 'hono';
import { compress } from 'hono/compress';
import { toErrorMessage } from '../core/lib/index.js';
import { operations } from '../http/index.js';
import type { GatewayLog } from './gateway-options.js';
import { answerCors } from './identity/cors.js';
import { createProblemPage, wantsPage } from './links/answers.js';
import type { GatewayMetrics } from './metrics.js';
import { type AnyHandler, type GatewayEnv, type MountOptions, mountOperation, toHonoPath } from './request/mount.js';
import { GatewayError, toProblem, toProblemResponse } from './request/problems.js';
import { createReconnectResponse } from './streams/reconnect-response.js';

export interface AppParts extends MountOptions {
  readonly handlers: { readonly [operationId: string]: AnyHandler };
  readonly basePath: string;
  /** As `parseOrigins` returns them. */
  readonly origins: readonly string[];
  readonly metrics: GatewayMetrics;
  readonly log: GatewayLog;
  readonly isClosing: () => boolean;
}

export function createApp(parts: AppParts): Hono<GatewayEnv> {
  const { handlers, basePath, origins, metrics, log, isClosing } = parts;
  const root = new Hono<GatewayEnv>();
  const app = basePath === '' ? root : root.basePath(basePath);

  app.use(async (c, next) => {
    const start = performance.now();
    await next();
    for (const [name, value] of Object.entries(safetyHeaders))
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    metrics.countRequest(c.get('operationId') ?? null, c.res.status, (performance.now() - start) / 1_000);
    logChange(c, log);
  });
  app.use(async (c, next) => {
    const { kind, headers } = answerCors(c.req.raw, origins);
    if (kind === 'preflight') return new Response(null, { status: 204, headers });
    await next();
    for (const [name, value] of Object.entries(headers)) c.res.headers.append(name, value);
    return undefined;
  });
  app.use(async (c, next) => {
    if (isClosing() && !probes.some((path) => c.req.path === `${basePath}${path}`)) {
      throw new GatewayError('closing', 'The gateway is stopping. Send the request again: another one takes it.', {
        headers: { 'retry-after': '1', connection: 'close' },
      });
    }
    return next();
  });
  // Streams are left as they are: a compressor would hold back their events.
  app.use(compress());
  for (const [id, operation] of Object.entries(operations)) {
    const handler = handlers[id];
    if (handler === undefined) throw new TypeError(`The operation ${id} has no handler.`);
    mountOperation(app, id, operation, handler, parts);
  }
  addWrongMethods(app);
  root.notFound(() => {
    throw new GatewayError('route_not_found', 'No operation has this path. /openapi.json lists them.');
  });
  root.onError((error, c) => toErrorResponse(error, c, { metrics, log }));
  return root;
}

/** Orchestrators ask them also while the gateway stops. */
const probes = [operations.getHealth.path, operations.getReadiness.path];

/** A browser must not sniff, frame or cache what it was not sent as such. */
const safetyHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

/** A known path with another method names the methods that it has. */
function addWrongMethods(app: Hono<GatewayEnv>): void {
  const methods = new Map<string, string[]>();
  for (const { path, method } of Object.values(operations)) methods.set(path, [...(methods.get(path) ?? []), method]);
  for (const [path, allowed] of methods) {
    app.all(toHonoPath(path), () => {
      throw new GatewayError('method_not_allowed', `This path has ${allowed.join(' and ')}.`, {
        headers: { allow: allowed.join(', ') },
      });
    });
  }
}

/**
 * Names the credential of each change: a service states the person whose name a decision has. Never the content, and no other
 * part of the path: the token of a link is one.
 */
function logChange(c: Context<GatewayEnv>, log: GatewayLog): void {
  const caller = c.get('caller');
  if (caller === undefined || readingMethods.has(c.req.method)) return;
  const [, started] = /^(?:chains|\.\.)\/(.+)$/.exec(c.res.headers.get('location') ?? '') ?? [];
  log.info('Answered a request for a change', {
    operation: c.get('operationId'),
    caller,
    chainId: c.get('chainId') ?? null,
    ...(started === undefined ? {} : { startedChainId: decodeURIComponent(started) }),
    status: c.res.status,
  });
}

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function toErrorResponse(
  error: unknown,
  c: Context<GatewayEnv>,
  { metrics, log }: Pick<AppParts, 'metrics' | 'log'>,
): Response {
  const answer = toProblem(error);
  if (error instanceof GatewayError) metrics.countRejection(error.code);
  if (answer.isServerFault) {
    const fields = {
      operation: c.get('operationId') ?? null,
      caller: c.get('caller') ?? null,
      code: answer.problem.code,
    };
    log.error(`A request failed: ${toErrorMessage(error)}`, fields);
  }
  return isFollowed(c.req.raw) && answer.problem.status === 503
    ? createReconnectResponse(answer.problem.code === 'closing' ? 'closing' : 'failed', { signal: c.req.raw.signal })
    : isLink(c.req.path) && wantsPage(c.req.raw)
      ? createProblemPage(answer)
      : toProblemResponse(answer);
}

/** A person opens a link; programs use everything else. */
function isLink(path: string): boolean {
  return /\/links\/[^/]+$/.test(path);
}

/** An EventSource stops for good at an error. At a stream that ends, it connects again. */
function isFollowed({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.get('accept') ?? '').includes('text/event-stream');
}
