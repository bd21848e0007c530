/** Lists the chains of a server page by page, for readers that come back with a cursor. */

import { type Client, ServiceError, type WorkflowExecutionInfo } from '@temporalio/client';
import { executionInfoFromRaw } from '@temporalio/client/lib/helpers.js';
import { LonghandError } from '../../core/lib/index.js';
import type { ViewRules } from '../../core/view/index.js';
import { isSearchAttributeMissing } from '../errors/errors.js';
import { mapAll } from '../read/many-chains.js';
import { createMetadataClient } from '../read/metadata-client.js';
import {
  belongsToTree,
  formatAttributeConditions,
  formatCommonConditions,
  type ListedChain,
  type ListQuery,
  readListedChain,
} from './list-chains.js';

export interface ChainPageOptions {
  /** Most chains of the page. It may have fewer, and none, although more follow: only the cursor names the end. */
  readonly limit: number;
  /** Of an earlier page with the same query. Default: the first page. */
  readonly cursor?: string | undefined;
  /** Of the view that each chain's row is made of. */
  readonly rules: ViewRules;
  /** Whether a chain is read; the others are omitted. Default: all. */
  readonly isWanted?: ((chainId: string) => Promise<boolean>) | undefined;
}

export interface ListedChainPage {
  readonly chains: readonly ListedChain[];
  /** For the next page; null on the last. */
  readonly cursor: string | null;
}

/** A place in the list: a status, and the server's token within its chains. */
interface ListPlace {
  readonly status: number;
  readonly token: string;
}

/** Returns a page: running chains first. @throws {LonghandError} `invalid_cursor` */
export async function listChainPage(
  client: Client,
  query: ListQuery,
  { limit, cursor, rules, isWanted = async () => true }: ChainPageOptions,
): Promise<ListedChainPage> {
  const statuses = query.status === null ? (['running', 'ended'] as const) : [query.status];
  let place = cursor === undefined ? { status: 0, token: '' } : parseCursor(cursor, statuses.length);
  for (;;) {
    const status = statuses[place.status] ?? 'ended';
    const { infos, token } = await fetchExecutions(client, { ...query, status }, { limit, token: place.token });
    const inTree = infos.filter((info) => belongsToTree(query.tree, info));
    const candidates = status === 'ended' ? await keepLatest(client, inTree) : inTree;
    const read = async (info: WorkflowExecutionInfo) =>
      (await isWanted(info.workflowId)) ? readListedChain(client, info, rules) : null;
    const chains = (await mapAll(candidates, read)).filter((listed) => listed !== null);
    const next = token === '' ? { status: place.status + 1, token } : { status: place.status, token };
    const isLast = next.status >= statuses.length;
    if (chains.length > 0 || isLast || token !== '') return { chains, cursor: isLast ? null : formatCursor(next) };
    place = next;
  }
}

/** Drops runs whose chain has a later one, after a reset or because its id was used again: that one is listed. */
async function keepLatest(
  client: Client,
  infos: readonly WorkflowExecutionInfo[],
): Promise<readonly WorkflowExecutionInfo[]> {
  if (infos.length === 0) return [];
  const latest = new Map<string, number>();
  const ids = [...new Set(infos.map(({ workflowId }) => JSON.stringify(workflowId)))];
  const conditions = [`WorkflowId IN (${ids.join(', ')})`, "ExecutionStatus != 'ContinuedAsNew'"];
  for await (const { workflowId, startTime } of createMetadataClient(client).list({ query: conditions.join(' AND ') }))
    latest.set(workflowId, Math.max(startTime.getTime(), latest.get(workflowId) ?? 0));
  return infos.filter(({ workflowId, startTime }) => startTime.getTime() >= (latest.get(workflowId) ?? 0));
}

type RawExecution = Parameters<typeof executionInfoFromRaw>[0];

interface ExecutionPage {
  readonly infos: readonly WorkflowExecutionInfo[];
  /** Empty on the last page. */
  readonly token: string;
}

/** Without registered search attributes, all chains are listed: the caller filters. */
async function fetchExecutions(
  client: Client,
  query: ListQuery,
  { limit, token }: { readonly limit: number; readonly token: string },
): Promise<ExecutionPage> {
  const {
    workflowService,
    options: { namespace, loadedDataConverter },
  } = createMetadataClient(client);
  const fetchPage = async (conditions: readonly string[]) => {
    const { executions, nextPageToken } = await workflowService.listWorkflowExecutions({
      namespace,
      query: conditions.join(' AND '),
      pageSize: limit,
      nextPageToken: Buffer.from(token, 'base64url'),
    });
    const infos = await Promise.all(
      (executions ?? []).map((raw) => executionInfoFromRaw(raw as RawExecution, loadedDataConverter, raw, namespace)),
    );
    return { infos, token: Buffer.from(nextPageToken ?? []).toString('base64url') };
  };
  try {
    return await fetchPage([
      ...formatCommonConditions(query),
      ...formatAttributeConditions(query),
      // Without the chains of unknown tenants: a page would be empty for the reader of one tenant.
      ...(query.tenant === null ? [] : [`LonghandTenant = ${JSON.stringify(query.tenant)}`]),
    ]);
  } catch (error) {
    if (isSearchAttributeMissing(error)) return fetchPage(formatCommonConditions(query));
    throw token !== '' && isInvalidArgument(error) ? createCursorError() : error;
  }
}

function isInvalidArgument(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof Error && 'code' in cause && cause.code === 3;
}

function formatCursor({ status, token }: ListPlace): string {
  return `${status}.${token}`;
}

function parseCursor(cursor: string, statuses: number): ListPlace {
  const [, status, token] = /^([01])\.([\w-]{0,4000})$/.exec(cursor) ?? [];
  if (status === undefined || token === undefined || Number(status) >= statuses) throw createCursorError();
  return { status: Number(status), token };
}

function createCursorError(): LonghandError {
  return new LonghandError('invalid_cursor', 'The cursor does not belong to this list: pass one of an earlier page.');
}
