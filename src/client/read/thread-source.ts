/** Reads the chains of threads, one by one and as a list, from the server and the archive. */

import type { Client } from '@temporalio/client';
import { isLonghandError } from '../../core/lib/index.js';
import type { ThreadMember } from '../../core/model/index.js';
import { getEventTimeMs } from '../../history/index.js';
import { ErasedChainError } from '../../store/index.js';
import { ChainNotFoundError, isSearchAttributeMissing, isServerUnavailable } from '../errors/errors.js';
import type { ChainArchive } from './chain-archive.js';
import { resolveChainSource } from './chain-source.js';
import { createMetadataClient } from './metadata-client.js';
import { type RecordedHistory, readRecordedChain } from './recorded-chain.js';

type ThreadRead =
  | { readonly kind: 'found'; readonly recorded: RecordedHistory }
  /** `erased`: its id may still be in use. */
  | { readonly kind: 'missing' | 'erased'; readonly error: unknown };

export interface ThreadSource {
  readonly read: (chainId: string) => Promise<ThreadRead>;
  /** Lists the ids of the chains that state a thread, the one that started last first. */
  readonly list: (thread: string) => Promise<readonly string[]>;
}

/** Creates the source of a client. The server's list lags by some tenths of a second. */
export function createThreadSource(client: Client, archive: ChainArchive | null): ThreadSource {
  return {
    read: async (chainId) => {
      try {
        await checkNotErased(archive, chainId);
        return { kind: 'found', recorded: await readRecordedChain(await resolveChainSource(client, chainId)) };
      } catch (error) {
        if (error instanceof ChainNotFoundError) return { kind: 'missing', error };
        if (isLonghandError(error) && error.code === 'chain_erased') return { kind: 'erased', error };
        throw error;
      }
    },
    list: async (thread) => {
      const startTimes = new Map([...(await listArchived(archive, thread)), ...(await listOnServer(client, thread))]);
      return [...startTimes].sort(([, a], [, b]) => b - a).map(([chainId]) => chainId);
    },
  };
}

/** Returns a chain as a member of a thread. A chain that no worker has taken has no fact: its first event has the time. */
export function toThreadMember({ chainId, chain, events }: RecordedHistory): ThreadMember {
  const { input, facts, startedAt } = chain.state;
  const [first] = events ?? [];
  return { chainId, input, startedAt: facts === 0 && first !== undefined ? getEventTimeMs(first) : startedAt };
}

/** The server keeps an erased chain until its retention ends. */
async function checkNotErased(archive: ChainArchive | null, chainId: string): Promise<void> {
  const [row] = (await archive?.list({ chainId, limit: 1 }))?.chains ?? [];
  if (row !== undefined && row.erased !== null) throw new ErasedChainError(chainId, row.erased.at, row.erased.by);
}

/** The newest chains of a thread that are read, of the server and of the archive. */
const mostListed = 1_000;

type StartTimes = ReadonlyMap<string, number>;

async function listOnServer(client: Client, thread: string): Promise<StartTimes> {
  const startTimes = new Map<string, number>();
  const query = `LonghandThread = ${JSON.stringify(thread)}`;
  try {
    for await (const { workflowId, startTime } of createMetadataClient(client).list({ query })) {
      // A chain has an execution for each of its runs.
      startTimes.set(workflowId, Math.min(startTime.getTime(), startTimes.get(workflowId) ?? Number.POSITIVE_INFINITY));
      if (startTimes.size >= mostListed) break;
    }
  } catch (error) {
    if (!isSearchAttributeMissing(error) && !isServerUnavailable(error)) throw error;
  }
  return startTimes;
}

async function listArchived(archive: ChainArchive | null, thread: string): Promise<StartTimes> {
  const rows = (await archive?.list({ thread, limit: mostListed }))?.chains ?? [];
  return new Map(rows.filter(({ erased }) => erased === null).map(({ chainId, startedAt }) => [chainId, startedAt]));
}
