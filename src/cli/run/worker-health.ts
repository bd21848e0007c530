/** The health endpoint of a worker, for the probes of containers: it has no port of its own otherwise. */

import { createServer, type Server } from 'node:http';
import type { LonghandWorker } from '../../worker/index.js';
import { UsageError } from '../flags/usage-error.js';

type WorkerState = ReturnType<LonghandWorker['getState']>;

/** A worker that stops is healthy until it has ended: its calls may finish. */
const failedStates: ReadonlySet<WorkerState> = new Set(['FAILED', 'STOPPED']);

export interface HealthEndpoint {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Serves `/health`, whether the worker works at all, and `/ready`, whether it accepts work. Neither has content of chains.
 *
 * @param address as in `--health`: `127.0.0.1:7710`
 * @throws {UsageError} for an invalid address, or one that cannot be listened on
 */
export async function serveWorkerHealth(
  address: string,
  { getState }: Pick<LonghandWorker, 'getState'>,
): Promise<HealthEndpoint> {
  const { host, port } = parseHealthAddress(address);
  const server = createServer({ requestTimeout: 5_000 }, (request, response) => {
    const state = getState();
    const isWell = { '/health': !failedStates.has(state), '/ready': state === 'RUNNING' }[request.url ?? ''];
    response.writeHead(isWell === undefined ? 404 : isWell ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ state: state.toLowerCase() }));
  });
  await listen(server, host, port);
  const bound = server.address();
  const boundPort = typeof bound === 'object' && bound !== null ? bound.port : port;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`, close };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is in use' : (error.code ?? error.message);
      reject(new UsageError(`Cannot listen at ${host}:${port}: ${why}. Choose another --health.`));
    });
    server.listen(port, host, resolve);
  });
}

function parseHealthAddress(address: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[(?<ipv6>[\da-fA-F:.]+)\]|(?<host>[\w.-]+)):(?<port>\d{1,5})$/.exec(address);
  const host = match?.groups?.ipv6 ?? match?.groups?.host;
  const port = Number(match?.groups?.port);
  if (host === undefined || port > 65_535) {
    throw new UsageError(`Invalid --health ${address}. Use the form 127.0.0.1:7710.`);
  }
  return { host, port };
}
