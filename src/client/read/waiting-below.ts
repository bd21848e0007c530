/**
 * The sub-chains of a chain that wait for a person, down to the last of them. Found by what their parents' histories say
 * runs, not by a search: what waits since a moment ago is there.
 */

import type { Client } from '@temporalio/client';
import type { State } from '../../core/model/state.js';
import { delegating } from '../../core/state/children.js';
import { isGone, mapAll } from './concurrency.js';
import { readChain } from './read-chain.js';
import { type OpenRequest, requestsOf } from './requests.js';
import { sourceOf } from './source.js';

export interface WaitingBelow {
  readonly chainId: string;
  readonly agent: string;
  readonly requests: readonly OpenRequest[];
}

/** Those above come first. */
export async function waitingBelow(client: Client, chainId: string): Promise<readonly WaitingBelow[]> {
  const found: WaitingBelow[] = [];
  let level = runningIn((await readChain(await sourceOf(client, chainId))).chain.state);
  while (level.length > 0) {
    const next: string[] = [];
    for (const state of await mapAll(level, (id) => stateOf(client, id))) {
      if (state === null) continue;
      const requests = requestsOf(state, Date.now());
      if (requests.length > 0) found.push({ chainId: state.chainId, agent: state.input?.agent ?? '', requests });
      next.push(...runningIn(state));
    }
    level = next;
  }
  return found;
}

export function runningIn(state: State): readonly string[] {
  return delegating(state).flatMap(({ children }) =>
    children.flatMap(({ chainId, progress }) => (progress === 'running' ? [chainId] : [])),
  );
}

/** Null where it has ended, or is not there. */
async function stateOf(client: Client, chainId: string): Promise<State | null> {
  try {
    const { chain, closed } = await readChain(await sourceOf(client, chainId, ''));
    return closed === null ? chain.state : null;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
