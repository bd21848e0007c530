/** Where the history of a chain's run is read. */

import { type Client, Connection, WorkflowNotFoundError, type WorkflowService } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import { NoSuchChainError } from './errors.js';

export interface ChainSource {
  readonly connection: Connection;
  readonly service: WorkflowService;
  readonly namespace: string;
  readonly converter: LoadedDataConverter;
  readonly chainId: string;
  readonly runId: string;
}

/**
 * @param known the run; default: the chain's latest
 * @throws {NoSuchChainError}
 */
export async function sourceOf(client: Client, chainId: string, known?: string): Promise<ChainSource> {
  const { connection, options, workflow } = client;
  const runId = known ?? (await latestRun(client, chainId));
  if (!(connection instanceof Connection)) throw new Error('Chains are read over a Connection of @temporalio/client.');
  return {
    connection,
    service: connection.workflowService,
    namespace: options.namespace,
    converter: workflow.options.loadedDataConverter,
    chainId,
    runId,
  };
}

async function latestRun({ workflow }: Client, chainId: string): Promise<string> {
  try {
    return (await workflow.getHandle(chainId).describe()).runId;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw new NoSuchChainError(chainId);
    throw error;
  }
}
