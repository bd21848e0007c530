/**
 * Creates a gateway: chains over HTTP, as a fetch handler.
 *
 * It is thin: everything that it knows of a chain comes from the client, and it keeps nothing that another gateway or a
 * restart would miss.
 */

import { setMaxListeners } from 'node:events';
import { connect } from '../client/index.js';
import { createResources, type Resources, toErrorMessage } from '../core/lib/index.js';
import { createPurposeSealer, resolveEncryption } from '../encryption/index.js';
import { bodyBounds } from '../http/index.js';
import { blockedMessage, watchLoop, withTimeout } from '../timing/index.js';
import { createAccess } from './access.js';
import { createApp } from './create-app.js';
import type { GatewayLog, GatewayOptions } from './gateway-options.js';
import { openGatewayStore } from './gateway-store.js';
import { createHandlers } from './handlers.js';
import { parseOrigins } from './identity/cors.js';
import { defaultRequestsPerMinute } from './identity/rate-limits.js';
import { parseGatewayAddress } from './links/link-address.js';
import { openLinkSigner } from './links/link-token.js';
import { createGatewayMetrics } from './metrics.js';
import { createAuthorizeChain } from './request/authorize-chain.js';
import { createStreamQuota } from './request/stream-quota.js';
import { createStreams } from './streams/streams.js';

export interface Gateway {
  /**
   * Answers a request. Any server of the web's `Request` and `Response` can call it: Hono (`app.mount`), Next (a route
   * handler), Deno, Bun.
   */
  readonly fetch: (request: Request, env?: unknown) => Promise<Response>;
  /** Whether callers need a credential. Without, the gateway serves this machine alone. */
  readonly requiresCredentials: boolean;
  /** Number of open streams. */
  readonly countStreams: () => number;
  /**
   * Rejects new requests, ends all streams (their clients continue at another gateway, after their last event), waits for
   * requests under way, and closes what the gateway opened.
   */
  readonly close: () => Promise<void>;
}

/**
 * Creates a gateway.
 *
 * @throws {LonghandError} as `connect`, and `invalid_options`
 * @throws {StoreError} when the store cannot be opened
 * @example
 * const gateway = await createGateway({ authentication: { keys: true } });
 * app.mount('/agents', gateway.fetch);
 */
export async function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const resources = createResources();
  try {
    return await openGateway(options, resources);
  } catch (error) {
    await resources.close();
    throw error;
  }
}

async function openGateway(options: GatewayOptions, resources: Resources): Promise<Gateway> {
  const { limits = {}, log = silentLog, visibility = {}, authentication = {}, proxies = 0 } = options;
  const { publicUrl, basePath } = parseGatewayAddress(options);
  const origins = parseOrigins(options.origins ?? []);
  const signer = openLinkSigner(process.env);
  const sealer = createWebhookSealer(options);
  const { store, close: closeStore } = await openGatewayStore(options);
  resources.add(closeStore);
  const longhand = options.longhand ?? (await connect({ maxAttempts, ...options.connection, store }));
  if (options.longhand === undefined) resources.add(longhand.close);
  const closing = new AbortController();
  // One for each wait and each chat.
  setMaxListeners(0, closing.signal);
  const isClosing = () => closing.signal.aborted;
  const streams = createStreams({ longhand, visibility });
  const quota = createStreamQuota(limits.streamsPerCredential ?? 1_000);
  const metrics = createGatewayMetrics(quota.count);
  resources.add(metrics.close);
  const endWatch = watchLoop((block) => {
    metrics.recordLoopBlock(block);
    log.warn(blockedMessage, { ...block });
  });
  resources.add(async () => endWatch());
  const { namespace } = longhand.client.options;
  const app = createApp({
    services: { longhand, namespace, store, visibility, streams },
    closing: closing.signal,
    reach: createAuthorizeChain(longhand),
    ...createAccess({ authentication, limits, origins, proxies, store, namespace, log }),
    enterStream: quota.enter,
    onStreamDropped: (reason, chainId, error) => {
      metrics.countDroppedStream(reason);
      if (reason === 'failed') log.error(`A stream failed: ${toErrorMessage(error)}`, { chainId });
    },
    timeoutMs: limits.requestMs ?? 75_000,
    bodyBytes: limits.bodyBytes ?? bodyBounds.filesBytes,
    handlers: createHandlers({
      system: { isClosing, printMetrics: metrics.print, basePath },
      links: { signer, publicUrl, basePath },
      keys: { defaultRequestsPerMinute: limits.requestsPerMinute ?? defaultRequestsPerMinute },
      webhooks: { sealer },
    }),
    basePath,
    origins,
    metrics,
    log,
    isClosing,
  });
  const underWay = createUnderWay();
  return {
    fetch: (request, env) => underWay.count(async () => app.fetch(request, env)),
    requiresCredentials:
      authentication.custom !== undefined || authentication.keys === true || (authentication.jwt ?? []).length > 0,
    countStreams: quota.count,
    close: async () => {
      closing.abort();
      await Promise.all([streams.close(), withTimeout(underWay.waitForNone(), limits.closeMs ?? 10_000)]);
      await resources.close();
    },
  };
}

/** Attempts at a call of Temporal, in about 2 seconds: a client soon learns that it has to try again. */
const maxAttempts = 5;

/** Requests that have no answer yet. */
function createUnderWay() {
  let requests = 0;
  let markNone = () => {};
  return {
    count: async <T>(answer: () => Promise<T>): Promise<T> => {
      requests += 1;
      try {
        return await answer();
      } finally {
        requests -= 1;
        if (requests === 0) markNone();
      }
    },
    waitForNone: () =>
      new Promise<void>((resolve) => {
        markNone = resolve;
        if (requests === 0) resolve();
      }),
  };
}

/** For the secrets of webhooks, with the keys of the workers. */
function createWebhookSealer({ connection }: GatewayOptions) {
  return createPurposeSealer(resolveEncryption(connection?.encryption, process.env), 'webhooks');
}

const silentLog: GatewayLog = { info: () => {}, warn: () => {}, error: () => {} };
