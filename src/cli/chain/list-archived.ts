/**
 * Lists chains that are only in the archive.
 *
 * L8: the archive indexes the text that a developer sees. For other viewers and rules each match is checked against their
 * own view, so that hidden text finds no chain.
 */

import {
  type ChainRow,
  canFindByText,
  type ListedArchivedChain,
  type ListQuery,
  type Longhand,
  listArchivedChains,
  matchesFilter,
  type RowFilter,
  toChainRow,
} from '../../client/index.js';
import type { ChainViewer } from '../access/chain-viewer.js';

export interface ArchiveListOptions {
  readonly seen: ChainViewer;
  readonly limit: number;
  /** Whether the server answered; it then lists all running chains. */
  readonly serverAnswered: boolean;
  /** Ids of chains on the server, and of chains that are already in the list. */
  readonly known: ReadonlySet<string>;
  readonly shown: ReadonlySet<string>;
}

/** @throws StoreError */
export async function listArchivedRows(
  longhand: Longhand,
  filter: RowFilter & Pick<ListQuery, 'tree'>,
  { seen, limit, serverAnswered, known, shown }: ArchiveListOptions,
): Promise<readonly ChainRow[]> {
  if (longhand.archive === null) return [];
  const rows: ChainRow[] = [];
  for await (const listed of listArchivedChains(longhand.archive, filter)) {
    const { chainId, status } = listed;
    if (shown.has(chainId) || (known.has(chainId) && filter.text === null)) continue;
    if (serverAnswered && status === 'running') continue;
    const row = toArchivedRow(listed, seen);
    if (row === null || !matchesFilter(row, { ...filter, text: null })) continue;
    if (!matchesFilter(row, filter) && !(await canFindByText(longhand.client, chainId, filter.text ?? '', seen)))
      continue;
    rows.push(row);
    if (rows.length > limit) break;
  }
  return rows;
}

/** Converts an archived chain to a row. Null for a sub-chain whose path is hidden. */
export function toArchivedRow(listed: ListedArchivedChain, chainViewer: ChainViewer): ChainRow | null {
  const { erased } = listed;
  const row = toChainRow(chainViewer.viewReasoning(listed.reasoning), listed);
  if (row === null) return null;
  return erased === null ? row : { ...row, erased: { at: new Date(erased.at).toISOString(), by: erased.by } };
}
