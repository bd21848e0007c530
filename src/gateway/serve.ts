/** Serves a gateway with Node's HTTP server, with limits for slow and for many clients. */

import { createServer, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { isLoopbackName, LonghandError } from '../core/lib/index.js';
import type { Gateway } from './create-gateway.js';
import { defaultGatewayPort } from './gateway-options.js';

export interface ServeOptions {
  /** Default: 127.0.0.1, which only this machine reaches. */
  readonly host?: string;
  /** Default: 7700. 0 for a free one. */
  readonly port?: number;
  /** Most connections at a time. Default 20,000. */
  readonly maxConnections?: number;
}

export interface GatewayServer {
  /** `http://127.0.0.1:7700` */
  readonly url: string;
  /** Closes the gateway, which rejects new requests in the meantime, then the port. */
  readonly close: () => Promise<void>;
}

/** Milliseconds that clients have to read the rest of their answers, once the gateway has closed. */
const unreadMs = 2_000;

/** A client that sends its request slowly is cut off. Streams and waits are answers, which these do not limit. */
const serverOptions: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
};

/** @throws {LonghandError} `invalid_options` @throws NodeJS.ErrnoException when the address cannot be used */
export async function serveGateway(
  gateway: Gateway,
  { host = '127.0.0.1', port = defaultGatewayPort, maxConnections = 20_000 }: ServeOptions = {},
): Promise<GatewayServer> {
  if (!gateway.requiresCredentials && !isLoopbackName(host.includes(':') ? `[${host}]` : host)) {
    throw new LonghandError(
      'invalid_options',
      `Without authentication, a gateway serves this machine alone, not ${host}. Require keys or tokens, or omit the host.`,
    );
  }
  const listener = getRequestListener(gateway.fetch, { overrideGlobalObjects: false });
  const server = createServer(serverOptions, listener);
  server.maxConnections = maxConnections;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    // Events are small and must not wait for more of them.
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await listen(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: async () => {
      // The port stays open in the meantime: a rejection lets clients send the request elsewhere, a refused connection does not.
      await gateway.close().finally(() => closeServer(server, sockets));
    },
  };
}

async function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection whose answer has just been read is idle a little later.
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const late = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, unreadMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
