/** Finds the task queue of a running chain that no worker polls. */

import { Connection } from '@temporalio/client';
import { listPollers } from '../../connection/index.js';
import type { ReadingClient } from './chain-source.js';
import { createMetadataClient } from './metadata-client.js';

/** Returns the queue; null when a worker polls it, when the chain has ended, or when the server does not report it. */
export async function findUnpolledQueue(client: ReadingClient, chainId: string): Promise<string | null> {
  const { connection, options } = client;
  if (!(connection instanceof Connection)) return null;
  try {
    const { taskQueue, closeTime } = await createMetadataClient(client).getHandle(chainId).describe();
    if (closeTime !== undefined) return null;
    const pollers = await listPollers(connection, { namespace: options.namespace, taskQueue });
    return pollers?.length === 0 ? taskQueue : null;
  } catch {
    // An addition to what the caller reads: errors are reported there.
    return null;
  }
}
