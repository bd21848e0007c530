/** Lists ids of chains by their beginning. The server's list lags by some tenths of a second. */

import type { Client } from '@temporalio/client';
import { workflowType } from '../../contract/index.js';
import { isServerUnavailable } from '../errors/errors.js';
import type { ChainArchive } from './chain-archive.js';
import { createMetadataClient } from './metadata-client.js';

export interface ChainIdSource {
  readonly client: Client;
  readonly archive: ChainArchive | null;
}

/** Returns ids of the server and of the archive that begin with a text: those of the newest chains, where there are many. */
export async function listChainIds(
  { client, archive }: ChainIdSource,
  prefix: string,
  limit = 1_000,
): Promise<ReadonlySet<string>> {
  const archived = await archive?.list({ idPrefix: prefix, tree: 'roots', limit });
  const ids = new Set(archived?.chains.map(({ chainId }) => chainId));
  const query = `WorkflowType = ${JSON.stringify(workflowType)} AND WorkflowId STARTS_WITH ${JSON.stringify(prefix)}`;
  let examined = 0;
  try {
    for await (const { workflowId } of createMetadataClient(client).list({ query, pageSize: Math.min(limit, 100) })) {
      ids.add(workflowId);
      examined += 1;
      if (examined >= limit) break;
    }
  } catch (error) {
    if (!isServerUnavailable(error)) throw error;
  }
  return ids;
}
