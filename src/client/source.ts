/** Where the history of a chain's run is read. */

import { type Client, Connection, WorkflowNotFoundError, type WorkflowService } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import type { ArchivedRuns } from '../contract/archived-runs.js';
import type { RunsSource } from '../history/earlier-runs.js';
import { NoSuchChainError } from './errors.js';

export interface ChainSource {
  readonly connection: Connection;
  readonly service: WorkflowService;
  readonly namespace: string;
  readonly converter: LoadedDataConverter;
  readonly archived: ArchivedRuns | null;
  readonly chainId: string;
  readonly runId: string;
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
  const { connection, options, workflow } = client;
  const runId = known ?? (await latestRun(client, chainId));
  if (!(connection instanceof Connection)) throw new Error('Chains are read over a Connection of @temporalio/client.');
  return {
    connection,
    service: connection.workflowService,
    namespace: options.namespace,
    converter: workflow.options.loadedDataConverter,
    archived: client.archived ?? null,
    chainId,
    runId,
  };
}

/** Where the other runs of the same chain are. */
export function runsOf({ service, namespace, converter, archived }: ChainSource): RunsSource {
  return { history: { service, namespace }, converter, archived };
}

async function latestRun({ workflow }: Client, chainId: string): Promise<string> {
  try {
    return (await workflow.getHandle(chainId).describe()).runId;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw new NoSuchChainError(chainId);
    throw error;
  }
}
