/** `longhand chain list`: the chains of a server, or of files, one a row. */

import { basename } from 'node:path';
import { isServerUnavailable } from '../../client/errors/errors.js';
import type { ListedStatus, ListQuery } from '../../client/list/list-chains.js';
import { formatCount, formatUsd } from '../../core/lib/display.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import { findRecorded, fullId } from '../access/find.js';
import { noteView, type Viewed } from '../access/note-view.js';
import { withServer } from '../access/open.js';
import { type ViewFlags, type Viewing, viewing } from '../access/viewed.js';
import { UsageError } from '../flags/usage-error.js';
import { age, amount, timeSince, wholeNumber } from '../flags/values.js';
import { type Colors, colorsFor } from '../terminal/colors.js';
import { type FoundFile, filesIn } from '../terminal/read-text.js';
import { type Cell, type Column, shortIds, table } from '../terminal/table.js';
import { jsonLine, type Terminal } from '../terminal/terminal.js';
import { columns as columnsOf } from '../terminal/text.js';
import { archivedRows } from './list-archived.js';
import { fits, inOrder, type Row, type RowFilter, rowOf } from './row.js';

export interface ListFlags extends ViewFlags {
  readonly agent?: string;
  readonly outcome?: string;
  readonly status?: ListedStatus;
  readonly tenant?: string;
  readonly since?: string;
  readonly costOver?: string;
  readonly text?: string;
  readonly all?: boolean;
  readonly root?: string;
  readonly limit: string;
  readonly json?: boolean;
}

/** @param places files and folders to look in; none for the server */
export async function list(terminal: Terminal, places: readonly string[], flags: ListFlags): Promise<number> {
  const limit = wholeNumber('--limit', flags.limit);
  const filter = filterOf(flags, Date.now());
  const tree = treeOf(flags);
  const seen = viewing(flags);
  const { rows, unread, missing } =
    places.length > 0 ? await rowsIn(filesIn(places), filter, seen) : await rowsOf(filter, tree, seen, limit);
  const shown = rows.slice(0, limit);
  for (const line of unread) terminal.say(line);
  if (flags.json) {
    terminal.write(jsonLine(shown));
    return missing ? 1 : 0;
  }
  terminal.write(text(shown, terminal));
  if (rows.length > limit) terminal.say(`There are more than ${limit}: --limit ${limit * 4} shows more of them.`);
  return missing ? 1 : 0;
}

function filterOf({ agent, outcome, status, tenant, since, costOver, text }: ListFlags, now: number): RowFilter {
  return {
    status: status ?? null,
    agent: agent ?? null,
    tenant: tenant ?? null,
    outcome: outcome ?? null,
    since: since === undefined ? null : timeSince(since, now),
    costOver: costOver === undefined ? null : amount('--cost-over', costOver),
    text: text === undefined ? null : text.toLowerCase(),
  };
}

/** Sub-chains are counted with the chain that began them, unless somebody asks for them, or for those that are held up. */
export function treeOf({ all, root, status }: Pick<ListFlags, 'all' | 'root' | 'status'>): ListQuery['tree'] {
  if (all && root !== undefined) throw new UsageError('--all and --root exclude one another.');
  if (root !== undefined) return { root };
  return all || status === 'waiting' || status === 'paused' ? 'all' : 'roots';
}

interface Rows {
  readonly rows: readonly Row[];
  /** What to say of files that hold no chain. */
  readonly unread: readonly string[];
  /** Whether one of them was named itself. */
  readonly missing: boolean;
}

/** Of the server and of the archive, each chain once. One more than are shown, to know that there are more. */
async function rowsOf(filter: RowFilter, tree: ListQuery['tree'], seen: Viewing, limit: number): Promise<Rows> {
  return withServer(async (connect) => {
    const { listChains } = await import('../../client/list/list-chains.js');
    const longhand = await connect();
    const whole = typeof tree === 'string' ? tree : { root: await fullId(longhand, tree.root) };
    const rows: Row[] = [];
    const viewed: Viewed[] = [];
    const known = new Set<string>();
    let answered = true;
    try {
      for await (const listed of listChains(longhand.client, { ...filter, tree: whole })) {
        const row = rowOf(seen.reasoning(listed.reasoning), listed);
        const { chainId, tenant, agent } = listed.reasoning;
        known.add(chainId);
        if (row !== null && fits(row, filter)) {
          rows.push(row);
          if (row.unreadable === undefined) viewed.push({ chainId, tenant, agent });
        }
        if (rows.length > limit) break;
      }
    } catch (error) {
      if (!isServerUnavailable(error) || longhand.archive === null) throw error;
      answered = false;
    }
    const unread: string[] = [];
    const shown = new Set(rows.map(({ chainId }) => chainId));
    const beside = { seen, limit, answered, known, shown };
    try {
      for (const row of await archivedRows(longhand, { ...filter, tree: whole }, beside)) {
        rows.push(row);
        viewed.push({ chainId: row.chainId, tenant: row.tenant, agent: row.agent });
      }
    } catch (error) {
      unread.push(`What is archived is missing here: ${error instanceof Error ? error.message : String(error)}`);
    }
    await noteView({ role: seen.role, command: 'chain list', named: null }, viewed);
    return { rows: inOrder(rows), unread, missing: false };
  });
}

/** Folders may hold files of any kind: those without a chain are named, and no more. Who names a file means a chain. */
async function rowsIn(files: readonly FoundFile[], filter: RowFilter, seen: Viewing): Promise<Rows> {
  const { getRecordedStatus: statusOfRecorded } = await import('../../client/list/list-chains.js');
  const rows: Row[] = [];
  const unread: string[] = [];
  let missing = false;
  for (const { path: file, named } of files) {
    try {
      const recorded = await findRecorded(file, noServer);
      const { runId, chain } = recorded;
      const place = { runId, steps: chain.state.steps, status: statusOfRecorded(recorded), file };
      const row = rowOf(seen.recorded(recorded), place);
      if (row !== null) rows.push(row);
    } catch (error) {
      unread.push(error instanceof Error ? error.message : `${file}: ${String(error)}`);
      missing ||= named;
    }
  }
  return { rows: inOrder(rows.filter((row) => fits(row, filter))), unread, missing };
}

function noServer(): Promise<never> {
  throw new Error('A file needs no server.');
}

const mostOfId = 36;
const columns: readonly Column[] = [
  { head: 'agent', most: 18 },
  { head: 'outcome', most: 24 },
  { head: 'steps', align: 'right' },
  { head: 'cost', align: 'right' },
  { head: 'age', align: 'right' },
];

const task: Column = { head: 'task' };
/** Several files may hold one chain. */
const fileOf: Column = { head: 'file', most: 32 };

function text(rows: readonly Row[], terminal: Terminal): string {
  if (rows.length === 0) return 'No chain fits.\n';
  const c = colorsFor(terminal);
  const now = Date.now();
  const ids = shortIds(rows.map(({ chainId }) => chainId));
  // What tells sub-chains apart stands at the end of their ids: of those nothing is cut off.
  const chain: Column = {
    head: 'chain',
    most: Math.max(mostOfId, ...ids.filter((id) => id.includes('/')).map(columnsOf)),
  };
  const inFiles = rows.some(({ file }) => file !== null);
  const lines = rows.map((row, at): readonly Cell[] => [
    { text: toOneLine(ids[at] ?? ''), paint: c.bold },
    { text: toOneLine(row.agent) },
    outcomeCell(row, c),
    { text: formatCount(row.steps) },
    { text: row.costUsd === null ? '–' : formatUsd(row.costUsd) },
    { text: row.startedAt === null ? '–' : age(now - Date.parse(row.startedAt)) },
    ...(inFiles ? [{ text: toOneLine(basename(row.file ?? '')) }] : []),
    { text: toOneLine(saidOf(row)), paint: c.dim },
  ]);
  return table([chain, ...columns, ...(inFiles ? [fileOf] : []), task], lines, {
    width: terminal.width,
    paintHead: c.dim,
  });
}

/** In the stead of its task, why that cannot be told. */
function saidOf({ task, erased, unreadable }: Row): string {
  return erased === undefined ? (unreadable ?? task) : erasedText(erased);
}

function erasedText({ at, by }: NonNullable<Row['erased']>): string {
  return `erased on ${at.slice(0, 10)}${by === null ? '' : ` by ${by}`}`;
}

function outcomeCell({ outcome, doing }: Row, c: Colors): Cell {
  if (outcome === null) return { text: `● ${toOneLine(doing ?? '')}`, paint: c.cyan };
  const good = outcome === 'success' || outcome === 'custom';
  return good ? { text: `✓ ${outcome}`, paint: c.green } : { text: `■ ${toOneLine(outcome)}`, paint: c.red };
}
