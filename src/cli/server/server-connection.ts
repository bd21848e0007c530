/** Connects to a Temporal server, if one answers. */

import type { Connection } from '@temporalio/client';
import { type ConnectionSettings, openConnection, readConnectionSettings } from '../../connection/index.js';

/** A server on the same machine or network answers in milliseconds. */
const defaultTimeoutMs = 2_000;

/** Connects with these settings. @returns the connection, for the caller to close, or null */
async function tryOpen(settings: ConnectionSettings, timeoutMs = defaultTimeoutMs): Promise<Connection | null> {
  try {
    return await openConnection(settings, timeoutMs);
  } catch {
    return null;
  }
}

/** Connects to a local server, without TLS; a program of another kind at the address does not count. */
export async function tryConnect(address: string, timeoutMs = defaultTimeoutMs): Promise<Connection | null> {
  return tryOpen(readConnectionSettings({ address, tls: false }, {}), timeoutMs);
}

export async function isReachable(address: string, timeoutMs = defaultTimeoutMs): Promise<boolean> {
  const connection = await tryConnect(address, timeoutMs);
  await connection?.close();
  return connection !== null;
}
