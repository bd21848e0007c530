/** `longhand archive list`: prints the archived chains and the end of their retention. Needs no server. */

import { type ChainRow, type ListedArchivedChain, listArchivedChains, openChainArchive } from '../../client/index.js';
import { formatCount, formatUsd } from '../../core/lib/index.js';
import { computeRetentionMs, type Retention, readRetention } from '../../store/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { getNamespace, withStore } from '../access/open.js';
import { recordView } from '../access/record-view.js';
import { toArchivedRow } from '../chain/list-archived.js';
import { parseAgentFilter, parseTime, parseWholeNumber } from '../flags/values.js';
import { getColors } from '../terminal/colors.js';
import { type Column, createNameColumns, formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface ArchiveListFlags extends ViewFlags {
  readonly agent?: string;
  readonly outcome?: string;
  readonly since?: string;
  readonly limit: string;
}

interface ArchiveRow extends ChainRow {
  /** ISO 8601; null for a chain that runs or is kept for ever. */
  readonly keptUntil: string | null;
}

export async function listArchive(terminal: Terminal, flags: ArchiveListFlags): Promise<number> {
  const limit = parseWholeNumber('--limit', flags.limit);
  const chainViewer = await createChainViewer(flags);
  const retention = readRetention(process.env);
  const since = flags.since === undefined ? null : parseTime(flags.since, Date.now());
  const { tenant = null, outcome = null } = flags;
  const agentFilter = parseAgentFilter(flags.agent);
  const query = {
    status: null,
    costOver: null,
    thread: null,
    text: null,
    tree: 'all',
    ...agentFilter,
    tenant,
    outcome,
    since,
  } as const;
  const rows: ArchiveRow[] = [];
  await withStore(async (store) => {
    const archive = openChainArchive(store, process.env, getNamespace());
    if (archive === null) return;
    for await (const listed of listArchivedChains(archive, query)) {
      const row = toArchivedRow(listed, chainViewer);
      if (row === null) continue;
      rows.push({ ...row, keptUntil: computeRetentionEnd(listed, retention) });
      if (rows.length > limit) break;
    }
  });
  const pageRows = rows.slice(0, limit);
  await recordView({ role: chainViewer.role, command: 'archive list', named: null }, pageRows);
  terminal.write(flags.json ? formatJson(pageRows) : formatRows(pageRows, terminal));
  if (rows.length > limit) terminal.report(`More than ${limit} chains match: --limit ${limit * 4} shows more.`);
  return 0;
}

function computeRetentionEnd({ status, reasoning }: ListedArchivedChain, retention: Retention): string | null {
  const { tenant, outcome, endedAt } = reasoning;
  const retentionMs = computeRetentionMs(retention, { tenant, outcome });
  return status !== 'ended' || retentionMs === null || endedAt === null
    ? null
    : new Date(endedAt + retentionMs).toISOString();
}

const middleColumns: readonly Column[] = [
  { head: 'tenant', cutTo: 16 },
  { head: 'outcome' },
  { head: 'steps', align: 'right' },
  { head: 'cost', align: 'right' },
  { head: 'ended' },
  { head: 'kept until' },
];

function formatRows(rows: readonly ArchiveRow[], terminal: Terminal): string {
  if (rows.length === 0) return 'No archived chain matches.\n';
  const c = getColors(terminal);
  const cells = rows.map((row) => [
    { text: row.chainId, paint: c.bold },
    { text: row.agent },
    { text: row.tenant ?? '' },
    { text: row.erased === undefined ? (row.outcome ?? 'running') : `${row.outcome ?? ''}, erased` },
    { text: formatCount(row.steps) },
    { text: row.costUsd === null ? '–' : formatUsd(row.costUsd) },
    { text: row.endedAt === null ? '' : row.endedAt.slice(0, 10) },
    { text: row.keptUntil === null ? 'for ever' : row.keptUntil.slice(0, 10) },
  ]);
  return formatTable([...createNameColumns(rows), ...middleColumns], cells, terminal);
}
