/**
 * Where the history of a chain's run is read: on the server, or in the archive where the server has forgotten it or is away; and
 * whether the archive's row agrees with the facts.
 */

import { type Client, Connection, WorkflowNotFoundError, type WorkflowService } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import type { ArchivedChain, ArchivedRuns, Listing } from '../../contract/archived-runs.js';
import { canonical } from '../../core/lib/json.js';
import { type GlanceSource, glanceOf } from '../../core/record/glance.js';
import type { RunsSource } from '../../history/earlier-runs.js';
import { isAway, NoSuchChainError } from '../errors/errors.js';
import { glancing } from './many-chains.js';

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

export interface Misfiled {
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
export function misfiledIn(
  { chainId, chain, closed, closedAt }: GlanceSource,
  heads: ReadonlyMap<string, string>,
  listed: Listing,
): Misfiled | null {
  const { facts, head } = chain.state;
  const proven: Record<string, unknown> = { facts, head, ...glanceOf({ chainId, chain, closed, closedAt }) };
  const said: Record<string, unknown> = { facts: listed.facts, head: listed.head, ...listed.glance };
  for (const [runId, end] of listed.heads) {
    proven[`head of run ${runId}`] = heads.get(runId);
    said[`head of run ${runId}`] = end;
  }
  for (const member of Object.keys(said)) {
    const [expected, found] = [storedText(proven[member]), storedText(said[member])];
    if (expected !== found) return { member, expected, found };
  }
  return null;
}

/** Databases do not hold U+0000, which facts may. */
function storedText(value: unknown): string {
  return canonical(value).replaceAll('\\u0000', '\ufffd');
}
