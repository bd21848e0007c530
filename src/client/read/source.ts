/** Where the history of a chain's run is read: on the server, or in the archive where the server has forgotten it or is away. */

import { type Client, Connection, WorkflowNotFoundError, type WorkflowService } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import type { ArchivedChain, ArchivedRuns } from '../../contract/archived-runs.js';
import type { RunsSource } from '../../history/earlier-runs.js';
import { isAway } from '../errors/away.js';
import { NoSuchChainError } from '../errors/errors.js';
import { glancing } from './glancing.js';

export interface ChainSource {
  readonly connection: Connection;
  readonly service: WorkflowService;
  readonly namespace: string;
  readonly converter: LoadedDataConverter;
  readonly archived: ArchivedRuns | null;
  readonly chainId: string;
  readonly runId: string;
  /** What the archive has of it, for a chain that is to be read there; null for one on the server. */
  readonly kept: ArchivedChain | null;
}

/** A client, and the archive that goes with it. */
export interface ReadingClient extends Client {
  readonly archived?: ArchivedRuns | null;
}

/**
 * @param known the run; default: the chain's latest
 * @throws {NoSuchChainError}
 */
export async function sourceOf(client: ReadingClient, chainId: string, known?: string): Promise<ChainSource> {
  if (known !== undefined) return serverSource(client, chainId, known);
  try {
    return serverSource(client, chainId, (await glancing(client).getHandle(chainId).describe()).runId);
  } catch (error) {
    const isUnknown = error instanceof WorkflowNotFoundError;
    if (!isUnknown && !isAway(error)) throw error;
    const kept = await keptSource(client, chainId);
    if (kept !== null) return kept;
    throw isUnknown ? new NoSuchChainError(chainId) : error;
  }
}

/** Null for a chain that is not in the archive. @throws ErasedChainError, StoreError */
export async function keptSource(client: ReadingClient, chainId: string): Promise<ChainSource | null> {
  const kept = (await client.archived?.chain(chainId)) ?? null;
  return kept === null ? null : { ...serverSource(client, chainId, kept.lastRunId), kept };
}

function serverSource(client: ReadingClient, chainId: string, runId: string): ChainSource {
  const { connection, options, workflow } = client;
  if (!(connection instanceof Connection)) throw new Error('Chains are read over a Connection of @temporalio/client.');
  return {
    connection,
    service: connection.workflowService,
    namespace: options.namespace,
    converter: workflow.options.loadedDataConverter,
    archived: client.archived ?? null,
    chainId,
    runId,
    kept: null,
  };
}

/** Where the other runs of the same chain are. */
export function runsOf({ service, namespace, converter, archived }: ChainSource): RunsSource {
  return { history: { service, namespace }, converter, archived };
}
