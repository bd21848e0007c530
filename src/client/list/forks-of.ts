/** The chains that were forked off one, as the server's list knows them. */

import type { Client } from '@temporalio/client';
import { isAway } from '../errors/away.js';
import { isUnregistered } from '../errors/search-refused.js';
import { glancing } from '../read/glancing.js';

export async function forksOf(client: Client, chainId: string): Promise<readonly string[]> {
  const found = new Set<string>();
  const query = `LonghandOrigin = ${JSON.stringify(chainId)}`;
  try {
    for await (const { workflowId } of glancing(client).list({ query })) found.add(workflowId);
  } catch (error) {
    if (!isUnregistered(error) && !isAway(error)) throw error;
  }
  return [...found];
}
