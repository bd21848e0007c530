/**
 * Where the history of a chain's run is read: on the server, or in the archive where the server has forgotten it or is away; and
 * whether the archive's row agrees with the facts.
 */

import { type Client, Connection, WorkflowNotFoundError, type WorkflowService } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import type { ArchivedChain, ArchivedRuns, ArchiveListing } from '../../contract/archived-runs.js';
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
  /** What the archive has of it, for a chain that is to be read there; null for one on the server. */
  readonly archivedChain: ArchivedChain | null;
}

/** A client, and the archive that goes with it. */
export interface ReadingClient extends Client {
  readonly archived?: ArchivedRuns | null;
}

/**
 * @param known the run; default: the chain's latest
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
    const kept = await findArchivedSource(client, chainId);
    if (kept !== null) return kept;
    throw isUnknown ? new ChainNotFoundError(chainId) : error;
  }
}

/** Null for a chain that is not in the archive. @throws ErasedChainError, StoreError */
export async function findArchivedSource(client: ReadingClient, chainId: string): Promise<ChainSource | null> {
  const kept = (await client.archived?.findChain(chainId)) ?? null;
  return kept === null ? null : { ...createServerSource(client, chainId, kept.lastRunId), archivedChain: kept };
}

function createServerSource(client: ReadingClient, chainId: string, runId: string): ChainSource {
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
    archivedChain: null,
  };
}

/** Where the other runs of the same chain are. */
export function toRunsSource({ service, namespace, converter, archived }: ChainSource): RunsSource {
  return { history: { service, namespace }, converter, archived };
}

export interface ArchiveMismatch {
  /** `outcome`, `head of run …` */
  readonly member: string;
  /** By the facts, and by the row; as JSON. */
  readonly expected: string;
  readonly found: string;
}

/**
 * Where a chain's row in the archive differs from its facts.
 *
 * @param heads where the facts of each run end, by its id
 * @returns the first difference; null where all agree
 */
export function compareWithArchive(
  { chainId, chain, closed, closedAt }: ChainListItemSource,
  heads: ReadonlyMap<string, string>,
  listed: ArchiveListing,
): ArchiveMismatch | null {
  const { facts, head } = chain.state;
  const proven: Record<string, unknown> = { facts, head, ...toChainListItem({ chainId, chain, closed, closedAt }) };
  const said: Record<string, unknown> = { facts: listed.facts, head: listed.head, ...listed.glance };
  for (const [runId, end] of listed.heads) {
    proven[`head of run ${runId}`] = heads.get(runId);
    said[`head of run ${runId}`] = end;
  }
  for (const member of Object.keys(said)) {
    const [expected, found] = [toStoredText(proven[member]), toStoredText(said[member])];
    if (expected !== found) return { member, expected, found };
  }
  return null;
}

/** Databases do not hold U+0000, which facts may. */
function toStoredText(value: unknown): string {
  return toCanonicalJson(value).replaceAll('\\u0000', '\ufffd');
}
