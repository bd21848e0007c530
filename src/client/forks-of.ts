/** The chains that were forked off one, as the server's list knows them. */

import type { Client } from '@temporalio/client';
import { isAway } from './away.js';
import { glancing } from './glancing.js';
import { isUnregistered } from './search-refused.js';

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
