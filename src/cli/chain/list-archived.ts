/**
 * The rows of a list that only the archive knows.
 *
 * L8: what the archive finds by text are words that a developer sees. Who sees less, or by other rules, is held against
 * his own view: what he may not see does not find him a chain.
 */

import type { Longhand } from '../../client/connect.js';
import { type ListedArchivedChain, listArchivedChains } from '../../client/list/list-archived.js';
import type { ListQuery } from '../../client/list/list-chains.js';
import { findArchivedSource } from '../../client/read/chain-source.js';
import { readRecordedChain } from '../../client/read/recorded-chain.js';
import { toValueText } from '../../core/lib/json.js';
import { toSearchText } from '../../core/view/reasoning-view.js';
import { splitWords, toSearchTerms } from '../../store/archive/search-words.js';
import type { ChainViewer } from '../access/chain-viewer.js';
import { type ChainRow, matchesFilter, type RowFilter, toChainRow } from './chain-row.js';

export interface ArchiveListOptions {
  readonly seen: ChainViewer;
  readonly limit: number;
  /** Whether the server answered; then it knows all that run. */
  readonly serverAnswered: boolean;
  /** Chains of the server, and those of them that are in the list already. */
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
    if (!matchesFilter(row, filter) && !(await canFindByText(longhand, chainId, filter.text ?? '', seen))) continue;
    rows.push(row);
    if (rows.length > limit) break;
  }
  return rows;
}

/** Null for a sub-chain that its path hides. */
export function toArchivedRow(listed: ListedArchivedChain, seen: ChainViewer): ChainRow | null {
  const { erased } = listed;
  const row = toChainRow(seen.viewReasoning(listed.reasoning), listed);
  if (row === null) return null;
  return erased === null ? row : { ...row, erased: { at: new Date(erased.at).toISOString(), by: erased.by } };
}

/** Whether all of the words stand in what the viewer sees of the chain. */
async function canFindByText({ client }: Longhand, chainId: string, text: string, seen: ChainViewer): Promise<boolean> {
  const seesAll = seen.role === 'developer' || seen.role === 'auditor';
  if (seesAll && Object.keys(seen.config).length === 0) return true;
  const source = await findArchivedSource(client, chainId).catch(() => null);
  if (source === null) return false;
  const chain = seen.viewRecorded(await readRecordedChain(source));
  const said = [
    chain.task,
    toValueText(chain.answer),
    chain.partial ?? '',
    chain.reason ?? '',
    ...chain.steps.map(toSearchText),
  ];
  const words = [...splitWords(said.join(' '))];
  return toSearchTerms(text).every((sought) => words.some((word) => word.startsWith(sought)));
}
