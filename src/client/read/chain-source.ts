/**
 * Resolves where a chain's history is read: from the server, or from the archive when the server has deleted it or is
 * unreachable. Also compares the archive's row with the facts.
 */

import {
  Client,
  type ClientOptions,
  Connection,
  WorkflowNotFoundError,
  type WorkflowService,
} from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import type { ArchivedChain, ArchivedRuns, ArchiveListing } from '../../contract/archived-runs.js';
import { LonghandError } from '../../core/lib/errors.js';
import { toCanonicalJson } from '../../core/lib/json.js';
import { type ChainListItemSource, toChainListItem } from '../../core/record/chain-list-item.js';
import type { RunsSource } from '../../history/earlier-runs.js';
import { ChainNotFoundError, isServerUnavailable } from '../errors/errors.js';
import { createMetadataClient } from './many-chains.js';

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

export interface ArchiveMismatch {
  /** `outcome`, `head of run …` */
  readonly member: string;
  /** The values of the facts and of the row, as JSON. */
  readonly expected: string;
  readonly found: string;
}

/**
 * Compares a chain's row in the archive with its facts.
 *
 * @param heads the head of each run, by run id
 * @returns the first difference; null if all agree
 */
export function compareWithArchive(
  { chainId, chain, closed, closedAt }: ChainListItemSource,
  heads: ReadonlyMap<string, string>,
  listed: ArchiveListing,
): ArchiveMismatch | null {
  const { facts, head } = chain.state;
  const proven: Record<string, unknown> = { facts, head, ...toChainListItem({ chainId, chain, closed, closedAt }) };
  const stored: Record<string, unknown> = { facts: listed.facts, head: listed.head, ...listed.glance };
  for (const [runId, end] of listed.heads) {
    proven[`head of run ${runId}`] = heads.get(runId);
    stored[`head of run ${runId}`] = end;
  }
  for (const member of Object.keys(stored)) {
    const [expected, found] = [toStoredText(proven[member]), toStoredText(stored[member])];
    if (expected !== found) return { member, expected, found };
  }
  return null;
}

/** Replaces U+0000: facts may contain it, databases cannot store it. */
function toStoredText(value: unknown): string {
  return toCanonicalJson(value).replaceAll('\\u0000', '\ufffd');
}
