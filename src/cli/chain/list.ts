/** `longhand chain list`: lists the chains of a server and its archive, or of files, one per row. */

import { basename } from 'node:path';
import {
  type ChainRow,
  getRecordedStatus,
  isInterruption,
  isServerUnavailable,
  type ListedStatus,
  type ListQuery,
  listChains,
  matchesFilter,
  type RowFilter,
  sortRows,
  toChainRow,
} from '../../client/index.js';
import { formatHolder } from '../../core/engine/index.js';
import { formatCount, formatUsd, LonghandError, toErrorMessage } from '../../core/lib/index.js';
import { hasAnswer } from '../../core/model/index.js';
import type { WaitsFor } from '../../core/view/index.js';
import type { ViewedChain } from '../../store/index.js';
import { type ChainViewer, createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain, resolveChainId, resolveThreadChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import { formatAge, parseAgentFilter, parseAmount, parseTime, parseWholeNumber } from '../flags/values.js';
import { type Colors, getColors } from '../terminal/colors.js';
import { type ListedFile, listFiles } from '../terminal/read-text.js';
import { type Cell, type Column, createNameColumns, formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { listArchivedRows } from './list-archived.js';

export interface ChainListFlags extends ViewFlags {
  readonly agent?: string;
  readonly outcome?: string;
  readonly status?: ListedStatus;
  readonly since?: string;
  readonly costOver?: string;
  readonly text?: string;
  readonly all?: boolean;
  readonly root?: string;
  readonly thread?: string;
  readonly limit: string;
}

/** @param places files and folders to read; empty for the server */
export async function printChains(
  terminal: Terminal,
  places: readonly string[],
  flags: ChainListFlags,
): Promise<number> {
  const limit = parseWholeNumber('--limit', flags.limit);
  const filter = parseRowFilter(flags, Date.now());
  const tree = parseTree(flags);
  const chainViewer = await createChainViewer(flags);
  const { rows, problems, hasUnreadFile } =
    places.length > 0
      ? await listFileRows(listFiles(places), filter, chainViewer)
      : await listServerRows(filter, tree, chainViewer, limit);
  const pageRows = rows.slice(0, limit);
  for (const line of problems) terminal.report(line);
  if (flags.json) {
    terminal.write(formatJson(pageRows));
    return hasUnreadFile ? 1 : 0;
  }
  terminal.write(formatRows(pageRows, terminal));
  if (rows.length > limit) terminal.report(`More chains match. To list them: --limit ${limit * 4}`);
  return hasUnreadFile ? 1 : 0;
}

function parseRowFilter(
  { agent, outcome, status, tenant, since, costOver, thread, text }: ChainListFlags,
  now: number,
): RowFilter {
  return {
    status: status ?? null,
    ...parseAgentFilter(agent),
    tenant: tenant ?? null,
    outcome: outcome ?? null,
    since: since === undefined ? null : parseTime(since, now),
    costOver: costOver === undefined ? null : parseAmount('--cost-over', costOver),
    thread: thread ?? null,
    text: text === undefined ? null : text.toLowerCase(),
  };
}

/** Sub-chains are listed only on request, or when waiting, sleeping or paused chains are. */
export function parseTree({ all, root, status }: Pick<ChainListFlags, 'all' | 'root' | 'status'>): ListQuery['tree'] {
  if (all && root !== undefined) throw new UsageError('--all and --root cannot be combined.');
  if (root !== undefined) return { root };
  return all || isInterruption(status ?? null) ? 'all' : 'roots';
}

interface RowList {
  readonly rows: readonly ChainRow[];
  /** Messages about files that hold no chain. */
  readonly problems: readonly string[];
  /** Whether such a file was named itself, not found in a folder. */
  readonly hasUnreadFile: boolean;
}

/** Lists chains of the server and the archive, each once. Reads one more than are shown, to know if there are more. */
async function listServerRows(
  rowFilter: RowFilter,
  tree: ListQuery['tree'],
  chainViewer: ChainViewer,
  limit: number,
): Promise<RowList> {
  return withServer(async (connect) => {
    const longhand = await connect();
    const resolvedTree = typeof tree === 'string' ? tree : { root: await resolveChainId(longhand, tree.root) };
    const thread = rowFilter.thread === null ? null : await resolveThreadChain(longhand, rowFilter.thread);
    const filter = { ...rowFilter, thread };
    const rows: ChainRow[] = [];
    const viewed: ViewedChain[] = [];
    const known = new Set<string>();
    let serverAnswered = true;
    try {
      for await (const listed of listChains(longhand.client, { ...filter, tree: resolvedTree }, chainViewer)) {
        const row = toChainRow(chainViewer.viewReasoning(listed.reasoning), listed);
        const { chainId, tenant, agent } = listed.reasoning;
        known.add(chainId);
        if (row !== null && matchesFilter(row, filter)) {
          rows.push(row);
          if (row.unreadable === undefined) viewed.push({ chainId, tenant, agent });
        }
        if (rows.length > limit) break;
      }
    } catch (error) {
      if (!isServerUnavailable(error) || longhand.archive === null) throw error;
      serverAnswered = false;
    }
    const problems: string[] = [];
    const listedIds = new Set(rows.map(({ chainId }) => chainId));
    const options = { seen: chainViewer, limit, serverAnswered, known, shown: listedIds };
    try {
      for (const row of await listArchivedRows(longhand, { ...filter, tree: resolvedTree }, options)) {
        rows.push(row);
        viewed.push({ chainId: row.chainId, tenant: row.tenant, agent: row.agent });
      }
    } catch (error) {
      problems.push(`Archived chains are not listed: ${toErrorMessage(error)}`);
    }
    await recordView({ role: chainViewer.role, command: 'chain list', named: null }, viewed);
    return { rows: sortRows(rows), problems, hasUnreadFile: false };
  });
}

/** Lists the chains of files. In a folder, files without a chain are only reported; a named one makes the command fail. */
async function listFileRows(
  files: readonly ListedFile[],
  filter: RowFilter,
  chainViewer: ChainViewer,
): Promise<RowList> {
  const rows: ChainRow[] = [];
  const problems: string[] = [];
  let hasUnreadFile = false;
  for (const { path: file, isNamed } of files) {
    try {
      const recorded = await findRecordedChain(file, rejectConnection);
      const { runId, chain } = recorded;
      const place = { runId, steps: chain.state.steps, status: getRecordedStatus(recorded), file };
      const row = toChainRow(chainViewer.viewRecorded(recorded), place);
      if (row !== null) rows.push(row);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : `${file}: ${String(error)}`);
      hasUnreadFile ||= isNamed;
    }
  }
  return { rows: sortRows(rows.filter((row) => matchesFilter(row, filter))), problems, hasUnreadFile };
}

function rejectConnection(): Promise<never> {
  throw new LonghandError('internal', 'A file must be read without a server.');
}

const middleColumns: readonly Column[] = [
  // The width of the longest of `waitTexts`: a state is never cut.
  { head: 'outcome', cutTo: 22 },
  { head: 'steps', align: 'right' },
  { head: 'cost', align: 'right' },
  { head: 'age', align: 'right' },
];
/** Distinguishes files that hold the same chain. */
const fileColumn: Column = { head: 'file' };
const taskColumn: Column = { head: 'task', cutTo: 24 };

function formatRows(rows: readonly ChainRow[], terminal: Terminal): string {
  if (rows.length === 0) return 'No chain matches.\n';
  const c = getColors(terminal);
  const now = Date.now();
  const inFiles = rows.some(({ file }) => file !== null);
  const lines = rows.map((row): readonly Cell[] => [
    { text: row.chainId, paint: c.bold },
    { text: row.agent },
    toOutcomeCell(row, c),
    { text: formatCount(row.steps) },
    { text: row.costUsd === null ? '–' : formatUsd(row.costUsd) },
    { text: row.startedAt === null ? '–' : formatAge(now - Date.parse(row.startedAt)) },
    ...(inFiles ? [{ text: basename(row.file ?? '') }] : []),
    { text: describeTask(row), paint: c.dim },
  ]);
  const columns = [...createNameColumns(rows), ...middleColumns, ...(inFiles ? [fileColumn] : []), taskColumn];
  return formatTable(columns, lines, terminal);
}

/** The task, or why it is missing. */
function describeTask({ task, erased, unreadable }: ChainRow): string {
  return erased === undefined ? (unreadable ?? task) : formatErased(erased);
}

function formatErased({ at, by }: NonNullable<ChainRow['erased']>): string {
  return `erased on ${at.slice(0, 10)}${by === null ? '' : ` by ${by}`}`;
}

/** Short, so that a narrow terminal has room for them; `chain show`, the inbox and `--json` have more. */
const waitTexts: { readonly [wait in WaitsFor]: string } = {
  provider: 'waiting for provider',
  store: 'waiting for store',
  worker: 'waiting for worker',
  budget: 'waiting for budget',
  rate: 'waiting for its turn',
  repair: 'held',
  approval: 'waiting for approval',
  answer: 'waiting for answer',
  decision: 'waiting for decision',
  resume: 'paused',
  time: 'waiting for time',
  signal: 'waiting for signal',
};

export function toOutcomeCell(
  { outcome, doing, waitsFor, heldBy }: Pick<ChainRow, 'outcome' | 'doing' | 'waitsFor' | 'heldBy'>,
  c: Colors,
): Cell {
  if (outcome === null) {
    const waits = heldBy === null ? waitsFor && waitTexts[waitsFor] : formatHolder(heldBy);
    return { text: `● ${waits ?? doing ?? ''}`, paint: c.cyan };
  }
  return hasAnswer(outcome) ? { text: `✓ ${outcome}`, paint: c.green } : { text: `■ ${outcome}`, paint: c.red };
}
