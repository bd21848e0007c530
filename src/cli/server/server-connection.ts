/** Connects to a Temporal server, if one answers at an address. */

import { connect } from 'node:net';
import { Connection } from '@temporalio/client';

/** A server on the same machine or network answers in milliseconds. */
const defaultTimeoutMs = 2_000;

/** The fix when the configured server does not answer. */
export const namedServerRemedy = 'start it, or unset TEMPORAL_ADDRESS';

/**
 * Connects to a Temporal server; a program of another kind at the address does not count.
 *
 *
 * @param address host and port, as in `TEMPORAL_ADDRESS`
 * @returns the connection, for the caller to close, or null
 */
export async function tryConnect(address: string, timeoutMs = defaultTimeoutMs): Promise<Connection | null> {
  // Where no program listens, gRPC would retry with growing pauses until the timeout.
  if (!(await isListening(address, timeoutMs))) return null;
  try {
    return await Connection.connect({ address, connectTimeout: timeoutMs });
  } catch {
    return null;
  }
}

export async function isReachable(address: string, timeoutMs = defaultTimeoutMs): Promise<boolean> {
  const connection = await tryConnect(address, timeoutMs);
  await connection?.close();
  return connection !== null;
}

function isListening(address: string, timeoutMs: number): Promise<boolean> {
  if (!URL.canParse(`tcp://${address}`)) return Promise.resolve(false);
  const { hostname, port } = new URL(`tcp://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port || 7233), timeout: timeoutMs });
    const answer = (listening: boolean) => () => {
      socket.destroy();
      resolve(listening);
    };
    socket.once('connect', answer(true)).once('timeout', answer(false)).once('error', answer(false));
  });
}
