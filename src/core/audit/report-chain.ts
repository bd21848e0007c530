/** Formats one chain of a report: overview, steps as a tree, and tables. */

import { formatCount, formatUsd, toValueText } from '../lib/index.js';
import type { ThreadRef } from '../model/index.js';
import { formatCode, formatFence } from '../view/index.js';
import type { AuditEntry, EntryWithContents } from './entry.js';
import { createReportIndex, type EntryOfType, formatOptionalCode, type ReportIndex } from './report-index.js';
import {
  formatApprovals,
  formatBasis,
  formatCommands,
  formatContentViews,
  formatHashes,
  formatModels,
  formatTools,
  formatVerdicts,
} from './report-tables.js';
import { formatTree } from './report-tree.js';

export function formatChainBlocks(
  all: readonly EntryWithContents[],
  isErased: (entry: AuditEntry) => boolean,
): readonly string[] {
  const scene = createReportIndex(all, isErased);
  const [{ entry: first } = all[0]!] = all;
  return [
    `## Chain ${formatCode(first.chainId ?? '')}`,
    formatOverview(first, scene),
    ...formatSection('Steps', formatTree(scene)),
    ...formatSection('Basis of the answer', formatBasis(scene)),
    ...formatSection('Data sources and tools', formatTools(scene)),
    ...formatSection('Written policy', formatVerdicts(scene, 'policy_checked')),
    ...formatSection('Judge', formatVerdicts(scene, 'judged')),
    ...formatSection('Approvals', formatApprovals(scene)),
    ...formatSection('Commands', formatCommands(scene)),
    ...formatSection('Models and prompts', formatModels(scene)),
    ...formatSection('Unmasked reads and erasures', formatContentViews(scene)),
    ...formatSection('Entries in the log', formatHashes(scene)),
  ];
}

function formatSection(title: string, text: string | null): readonly string[] {
  return text === null ? [] : [`### ${title}`, text];
}

function formatOverview(first: AuditEntry, { listByType, part, value }: ReportIndex): string {
  const [started] = listByType('chain_started');
  const ended = listByType('chain_ended').at(-1);
  const rows: readonly (readonly [string, string | null])[] = [
    ['task', started === undefined ? null : formatOptionalCode(part(started, 'task'))],
    ['outcome', ended === undefined ? 'not in this report' : formatCode(ended.what.outcome)],
    ['answer', ended === undefined ? null : formatOptionalCode(part(ended, 'answer') ?? part(ended, 'partial'))],
    ['reason', ended === undefined ? null : formatOptionalCode(part(ended, 'reason'))],
    ['agent', first.agent === null ? null : formatCode(first.agent)],
    ['tenant', first.tenant === null ? null : formatCode(first.tenant)],
    ['started', started === undefined ? null : formatStart(started)],
    ['ended', ended === undefined ? null : new Date(ended.at).toISOString()],
    ['starts with', started?.what.origin == null ? null : formatOrigin(started.what.origin)],
    ['follows', started?.what.thread == null ? null : formatThread(started.what.thread)],
    [
      'started by',
      started?.what.parent == null
        ? null
        : `${formatCode(started.what.parent.chainId)}, call ${started.what.parent.call}`,
    ],
    ['usage', ended === undefined ? null : formatSpending(ended)],
    ['facts', ended === undefined ? null : `${formatCount(ended.what.facts)}, head ${formatCode(ended.what.head)}`],
  ];
  const lines = rows.flatMap(([name, text]) => (text === null ? [] : [`- ${name}: ${text}`]));
  const whole = ended === undefined ? undefined : value(ended, 'answer');
  const long = whole === undefined ? '' : toValueText(whole);
  return long.length <= 300 && !long.includes('\n') ? lines.join('\n') : `${lines.join('\n')}\n\n${formatFence(long)}`;
}

function formatStart({ at, who }: EntryOfType<'chain_started'>): string {
  const by = who?.by === null || who === null ? '' : `, for ${formatCode(who.by)}`;
  const roles = who === null || who.roles.length === 0 ? '' : ` (${who.roles.map(formatCode).join(', ')})`;
  return `${new Date(at).toISOString()}${by}${roles}`;
}

function formatOrigin({ chainId, steps }: { readonly chainId: string; readonly steps: number }): string {
  return `the first ${formatCount(steps)} steps of ${formatCode(chainId)}; see the entries of that chain`;
}

function formatThread({ id, follows }: ThreadRef): string {
  return `${formatCode(follows)}, in the thread ${formatCode(id)}; see the entries of these chains`;
}

function formatSpending({ what: { steps, tokens, costUsd } }: EntryOfType<'chain_ended'>): string {
  return `${formatCount(steps)} steps, ${formatCount(tokens)} tokens${costUsd === null ? '' : `, ${formatUsd(costUsd)}`}`;
}
