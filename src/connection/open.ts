/** Opens the client's connection to Temporal, and reports immediately why it cannot be opened. */

import { Connection, type ConnectionOptions } from '@temporalio/client';
import { createClosableRetries } from './closable-retries.js';
import { type ConnectionFailure, toConnectionError } from './failure.js';
import { findTransportFailure } from './probe.js';
import { type ConnectionSettings, toConnectionOptions } from './settings.js';

const defaultTimeoutMs = 5_000;

/**
 * Connects to the server.
 *
 * @param maxAttempts at each call, see `createClosableRetries`
 * @throws {LonghandError} `server_unreachable`, `tls_mismatch`, `certificate_untrusted`, `server_name_mismatch`,
 *   `client_certificate_rejected`, `api_key_rejected`
 */
export async function openConnection(
  settings: ConnectionSettings,
  timeoutMs = defaultTimeoutMs,
  maxAttempts?: number,
): Promise<Connection> {
  const connection = Connection.lazy({
    ...toConnectionOptions(settings),
    connectTimeout: timeoutMs,
    interceptors: createClosableRetries(maxAttempts),
  });
  const probing = new AbortController();
  try {
    await Promise.race([connection.ensureConnected(), rejectOnFailure(settings, probing.signal)]);
    return connection;
  } catch (error) {
    await connection.close();
    throw toConnectionError(toFailure(error), settings, error);
  } finally {
    probing.abort();
  }
}

/** Returns a connection whose calls fail immediately while no server answers: without interceptors nothing is retried. */
export function openUnansweredConnection(settings: ConnectionSettings): Connection {
  const options: ConnectionOptions = { ...toConnectionOptions(settings), connectTimeout: '1s', interceptors: [] };
  return Connection.lazy(options);
}

class ProbeError extends Error {
  override readonly name = 'ProbeError';

  constructor(readonly failure: ConnectionFailure) {
    super(failure.kind === 'transport' ? failure.code : failure.kind);
  }
}

/** Never resolves. */
async function rejectOnFailure(settings: ConnectionSettings, signal: AbortSignal): Promise<never> {
  // Through a proxy only gRPC reaches the server.
  const failure = isProxied(settings.host, process.env) ? null : await findTransportFailure(settings, signal);
  if (failure !== null) throw new ProbeError(failure);
  return new Promise<never>(() => {});
}

/** gRPC reads these names only, and compares only the ends of names. */
function isProxied(host: string, env: NodeJS.ProcessEnv): boolean {
  if (!(env.grpc_proxy || env.https_proxy || env.http_proxy)) return false;
  const direct = (env.no_grpc_proxy || env.no_proxy || '').split(',').map((name) => name.trim());
  return !direct.some((name) => name !== '' && host.endsWith(name));
}

function toFailure(error: unknown): ConnectionFailure {
  if (error instanceof ProbeError) return error.failure;
  const { code, details } = ((error as Error).cause ?? error) as { readonly code?: unknown; readonly details?: string };
  // DEADLINE_EXCEEDED and UNAVAILABLE: no answer.
  if (typeof code !== 'number' || code === 4 || code === 14) return { kind: 'no-answer' };
  return { kind: 'rejected', status: code, details: details ?? '' };
}
