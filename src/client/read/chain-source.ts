/**
 * Resolves where a chain's history is read: from the server, or from the archive when the server has deleted it or is
 * unreachable.
 */

import {
  Client,
  type ClientOptions,
  Connection,
  WorkflowNotFoundError,
  type WorkflowService,
} from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import type { ArchivedChain, ArchivedRuns } from '../../contract/index.js';
import { LonghandError } from '../../core/lib/index.js';
import type { RunsSource } from '../../history/index.js';
import { ChainNotFoundError, isServerUnavailable } from '../errors/errors.js';
import { createMetadataClient } from './metadata-client.js';

export interface ChainSource {
  readonly connection: Connection;
  readonly service: WorkflowService;
  readonly namespace: string;
  readonly converter: LoadedDataConverter;
  readonly archived: ArchivedRuns | null;
  readonly chainId: string;
  readonly runId: string;
  /** The archived chain; null when the chain is read from the server. */
  readonly archivedChain: ArchivedChain | null;
}

/** A client that may have an archive. */
export interface ReadingClient extends Client {
  readonly archived?: ArchivedRuns | null;
}

/** The client of `connect`, with its archive. */
export class ArchiveClient extends Client implements ReadingClient {
  constructor(
    options: ClientOptions,
    readonly archived: ArchivedRuns | null,
  ) {
    super(options);
  }
}

/**
 * @param known the run. Default: the chain's latest
 * @throws {ChainNotFoundError}
 */
export async function resolveChainSource(client: ReadingClient, chainId: string, known?: string): Promise<ChainSource> {
  if (known !== undefined) return createServerSource(client, chainId, known);
  try {
    return createServerSource(
      client,
      chainId,
      (await createMetadataClient(client).getHandle(chainId).describe()).runId,
    );
  } catch (error) {
    const isUnknown = error instanceof WorkflowNotFoundError;
    if (!isUnknown && !isServerUnavailable(error)) throw error;
    const archivedSource = await findArchivedSource(client, chainId);
    if (archivedSource !== null) return archivedSource;
    throw isUnknown ? new ChainNotFoundError(chainId) : error;
  }
}

/** Returns the archived chain; null when the archive does not have it. @throws {ErasedChainError} {StoreError} */
export async function findArchivedSource(client: ReadingClient, chainId: string): Promise<ChainSource | null> {
  const chain = (await client.archived?.findChain(chainId)) ?? null;
  return chain === null ? null : { ...createServerSource(client, chainId, chain.lastRunId), archivedChain: chain };
}

function createServerSource(client: ReadingClient, chainId: string, runId: string): ChainSource {
  const { connection, options, workflow } = client;
  if (!(connection instanceof Connection))
    throw new LonghandError('invalid_options', 'Invalid connection: expected a Connection of @temporalio/client.');
  return {
    connection,
    service: connection.workflowService,
    namespace: options.namespace,
    converter: workflow.options.loadedDataConverter,
    archived: client.archived ?? null,
    chainId,
    runId,
    archivedChain: null,
  };
}

/** Returns the source of the chain's other runs. */
export function toRunsSource({ service, namespace, converter, archived }: ChainSource): RunsSource {
  return { history: { service, namespace }, converter, archived };
}
