/** A gateway over the test server, listening on a free port, with the client of `longhand/http`. */

import { createHttpClient, type HttpClient, type HttpClientOptions } from '../../src/entries/http.js';
import { createGateway } from '../../src/gateway/create-gateway.js';
import type { GatewayOptions } from '../../src/gateway/gateway-options.js';
import { type GatewayServer, serveGateway } from '../../src/gateway/serve.js';

export interface TestGateway {
  readonly url: string;
  readonly server: GatewayServer;
  /** A client with a key; without one, that of this machine. */
  readonly connect: (key?: HttpClientOptions['key'], options?: Partial<HttpClientOptions>) => HttpClient;
}

/** Lines of the gateway's log, for tests that search them. */
export interface GatewayLogLines {
  readonly lines: string[];
}

/** Runs `use` with a gateway, and stops it. The store defaults to none. */
export async function withGateway<T>(
  options: GatewayOptions & { readonly logTo?: GatewayLogLines },
  use: (gateway: TestGateway) => Promise<T>,
): Promise<T> {
  const gateway = await startGateway(options);
  try {
    return await use(gateway);
  } finally {
    await gateway.server.close();
  }
}

export async function startGateway({
  logTo,
  ...options
}: GatewayOptions & { readonly logTo?: GatewayLogLines }): Promise<TestGateway> {
  const write = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    logTo?.lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`);
  const log = { info: write('info'), warn: write('warn'), error: write('error') };
  const gateway = await createGateway({ store: null, log, ...options });
  const server = await serveGateway(gateway, { port: 0 });
  return {
    url: server.url,
    server,
    connect: (key, more = {}) =>
      createHttpClient({ url: server.url, ...(key === undefined ? {} : { key }), retries: 0, ...more }),
  };
}
