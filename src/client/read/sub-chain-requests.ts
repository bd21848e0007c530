/** Reads the open requests of sub-chains from their parents' histories: a search lags behind. */

import type { Client } from '@temporalio/client';
import { listDelegatingCalls, listOpenRequests, type OpenRequest } from '../../core/engine/index.js';
import type { ChainState } from '../../core/model/index.js';
import { resolveChainSource } from './chain-source.js';
import { isGone, mapAll } from './many-chains.js';
import { readChainState } from './read-chain.js';

export interface SubChainRequests {
  readonly chainId: string;
  readonly agent: string;
  readonly requests: readonly OpenRequest[];
}

/** Lists the sub-chains at any depth that wait for a person, higher levels first. */
export async function listSubChainRequests(client: Client, chainId: string): Promise<readonly SubChainRequests[]> {
  const open: SubChainRequests[] = [];
  let level = listRunningSubChainIds((await readChainState(await resolveChainSource(client, chainId))).state);
  while (level.length > 0) {
    const next: string[] = [];
    for (const state of await mapAll(level, (id) => readState(client, id))) {
      if (state === null) continue;
      const requests = listOpenRequests(state, Date.now());
      if (requests.length > 0) open.push({ chainId: state.chainId, agent: state.input?.agent ?? '', requests });
      next.push(...listRunningSubChainIds(state));
    }
    level = next;
  }
  return open;
}

export function listRunningSubChainIds(state: ChainState): readonly string[] {
  return listDelegatingCalls(state).flatMap(({ children }) =>
    children.flatMap(({ chainId, progress }) => (progress === 'running' ? [chainId] : [])),
  );
}

/** Returns the state; null when the chain has ended or does not exist. */
async function readState(client: Client, chainId: string): Promise<ChainState | null> {
  try {
    const { state, closed } = await readChainState(await resolveChainSource(client, chainId, ''));
    return closed === null ? state : null;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
