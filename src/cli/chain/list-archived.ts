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
import type { Viewing } from '../access/viewed.js';
import { fits, type Row, type RowFilter, rowOf } from './row.js';

export interface Beside {
  readonly seen: Viewing;
  readonly limit: number;
  /** Whether the server answered; then it knows all that run. */
  readonly answered: boolean;
  /** Chains of the server, and those of them that are in the list already. */
  readonly known: ReadonlySet<string>;
  readonly shown: ReadonlySet<string>;
}

/** @throws StoreError */
export async function archivedRows(
  longhand: Longhand,
  filter: RowFilter & Pick<ListQuery, 'tree'>,
  { seen, limit, answered, known, shown }: Beside,
): Promise<readonly Row[]> {
  if (longhand.archive === null) return [];
  const rows: Row[] = [];
  for await (const listed of listArchivedChains(longhand.archive, filter)) {
    const { chainId, status } = listed;
    if (shown.has(chainId) || (known.has(chainId) && filter.text === null)) continue;
    if (answered && status === 'running') continue;
    const row = archivedRow(listed, seen);
    if (row === null || !fits(row, { ...filter, text: null })) continue;
    if (!fits(row, filter) && !(await maySee(longhand, chainId, filter.text ?? '', seen))) continue;
    rows.push(row);
    if (rows.length > limit) break;
  }
  return rows;
}

/** Null for a sub-chain that its path hides. */
export function archivedRow(listed: ListedArchivedChain, seen: Viewing): Row | null {
  const { erased } = listed;
  const row = rowOf(seen.reasoning(listed.reasoning), listed);
  if (row === null) return null;
  return erased === null ? row : { ...row, erased: { at: new Date(erased.at).toISOString(), by: erased.by } };
}

/** Whether all of the words stand in what the viewer sees of the chain. */
async function maySee({ client }: Longhand, chainId: string, text: string, seen: Viewing): Promise<boolean> {
  const seesAll = seen.role === 'developer' || seen.role === 'auditor';
  if (seesAll && Object.keys(seen.config).length === 0) return true;
  const source = await findArchivedSource(client, chainId).catch(() => null);
  if (source === null) return false;
  const chain = seen.recorded(await readRecordedChain(source));
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
