/**
 * Creates a gateway: chains over HTTP, as a fetch handler.
 *
 * It is thin: everything that it knows of a chain comes from the client, and it keeps nothing that another gateway or a
 * restart would miss.
 */

import { connect, type Longhand } from '../client/connect.js';
import { toErrorMessage } from '../core/lib/errors.js';
import { resolveEncryption } from '../encryption/encryption.js';
import { createSealer } from '../encryption/sealer.js';
import { createAccess } from './access.js';
import { createApp } from './create-app.js';
import type { GatewayLog, GatewayOptions } from './gateway-options.js';
import { type GatewayStore, openGatewayStore } from './gateway-store.js';
import { createHandlers } from './handlers.js';
import { parseOrigins } from './identity/cors.js';
import { openLinkSigner } from './links/link-token.js';
import { createGatewayMetrics } from './metrics.js';
import { createReach } from './request/reach.js';
import { createStreamQuota } from './request/stream-quota.js';
import { createStreams } from './streams/streams.js';

export interface Gateway {
  /**
   * Answers a request. Any server of the web's `Request` and `Response` can call it: Hono (`app.mount`), Next (a route
   * handler), Deno, Bun.
   */
  readonly fetch: (request: Request, env?: unknown) => Promise<Response>;
  /** Number of open streams. */
  readonly countStreams: () => number;
  /**
   * Rejects new requests and ends all streams: their clients continue at another gateway, after their last event. Then closes
   * what the gateway opened. Requests under way are for the server to wait for.
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
  const opened = await openGatewayStore(options);
  const { store } = opened;
  const longhand = options.longhand ?? (await connectOrClose(options, opened));
  const { limits = {}, log = silentLog, visibility = {}, basePath = '', authentication = {}, proxies = 0 } = options;
  const origins = parseOrigins(options.origins ?? []);
  const closing = new AbortController();
  const isClosing = () => closing.signal.aborted;
  const streams = createStreams({ longhand, onDropped: (reason) => metrics.countDroppedStream(reason) });
  const metrics = createGatewayMetrics(streams.count);
  const { namespace } = longhand.client.options;
  const app = createApp({
    services: { longhand, namespace, store, visibility, streams },
    reach: createReach(longhand),
    ...createAccess({ authentication, limits, origins, proxies, store, namespace, log }),
    enterStream: createStreamQuota(limits.streamsPerCredential ?? 1_000),
    timeoutMs: limits.requestMs ?? 75_000,
    bodyBytes: limits.bodyBytes,
    handlers: createHandlers({
      system: { isClosing, printMetrics: metrics.print },
      links: { signer: openLinkSigner(process.env), publicUrl: options.publicUrl, basePath },
      webhooks: { sealer: createWebhookSealer(options) },
      chat: {
        closing: closing.signal,
        onFailed: (error, chainId) => log.error(`A chat failed: ${toErrorMessage(error)}`, { chainId }),
      },
    }),
    ...{ basePath, origins, metrics, log, isClosing },
  });
  return {
    fetch: async (request, env) => app.fetch(request, env),
    countStreams: streams.count,
    close: async () => {
      closing.abort();
      await streams.close();
      if (options.longhand === undefined) await longhand.close();
      await opened.close();
    },
  };
}

async function connectOrClose({ connection }: GatewayOptions, { store, close }: GatewayStore): Promise<Longhand> {
  try {
    return await connect({ ...connection, store });
  } catch (error) {
    await close();
    throw error;
  }
}

/** For the secrets of webhooks, with the keys of the workers. */
function createWebhookSealer({ connection }: GatewayOptions) {
  const encryption = resolveEncryption(connection?.encryption, process.env);
  return encryption === null ? null : createSealer(encryption.keys, undefined, 'webhooks');
}

const silentLog: GatewayLog = { info: () => {}, warn: () => {}, error: () => {} };
