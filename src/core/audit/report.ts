/**
 * Formats the audit log as a Markdown report for people who are responsible for an agent.
 *
 * 1. The report is made from the log's entries only. Recorded texts are in fences or code, so that none is rendered.
 * 2. Missing contents (erased or never stored) are marked.
 */

import { formatCount, formatPlural } from '../lib/index.js';
import { formatCode, formatFence, formatTable } from '../view/index.js';
import type { AuditEntry, EntryWithContents } from './entry.js';
import { formatLogName, parseHead, toLogKey } from './head.js';
import type { LogSpan, Manifest } from './manifest.js';
import { formatChainBlocks } from './report-chain.js';
import { createErasureCheck } from './verify.js';

export interface AuditReport
  extends Pick<Manifest, 'exportedAt' | 'exportedBy' | 'filters' | 'logs' | 'heads' | 'key'> {
  /** In the order of their logs. */
  readonly entries: readonly EntryWithContents[];
}

export function formatAuditReport(report: AuditReport): string {
  const { entries } = report;
  const isErased = createErasureCheck(entries.map(({ entry }) => entry));
  const chains = new Map<string, EntryWithContents[]>();
  const others: AuditEntry[] = [];
  for (const row of entries) {
    const { entry } = row;
    if (entry.chainId === null || entry.type === 'exported' || entry.type === 'verified') {
      others.push(entry);
      continue;
    }
    const key = `${toLogKey(entry)}${entry.chainId}`;
    chains.set(key, [...(chains.get(key) ?? []), row]);
  }
  const blocks = [
    '# Audit report',
    formatSummary(report, chains.size),
    ...[...chains.values()].flatMap((chain) => formatChainBlocks(chain, isErased)),
    ...(others.length === 0 ? [] : ['## Other entries', others.map(formatOtherEntry).join('\n')]),
    ...formatProof(report),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function formatSummary({ exportedAt, exportedBy, filters, entries }: AuditReport, chains: number): string {
  const conditions = Object.entries(filters).map(([name, value]) => `${name} ${formatCode(String(value))}`);
  const lines = [
    `- exported: ${exportedAt}${exportedBy === null ? '' : `, by ${formatCode(exportedBy)}`}`,
    `- filter: ${conditions.length === 0 ? 'none' : conditions.join(', ')}`,
    `- contains: ${formatCount(entries.length)} entries, ${formatPlural(chains, 'chain')}`,
  ];
  return lines.join('\n');
}

function formatOtherEntry({ at, type, who, what }: AuditEntry): string {
  const by = who?.by === undefined || who.by === null ? '' : ` by ${formatCode(who.by)}`;
  return `- ${new Date(at).toISOString()} ${type.replaceAll('_', ' ')}${by}: ${formatCode(JSON.stringify(what))}`;
}

function formatProof({ logs, heads, key, filters }: AuditReport): readonly string[] {
  const rows = logs.map((log: LogSpan) => {
    const vouching = heads.flatMap((signed) => {
      const head = parseHead(signed);
      return head !== null && toLogKey(head) === toLogKey(log) && head.seq >= log.last.seq
        ? [{ ...head, ...signed }]
        : [];
    })[0];
    const signature =
      vouching === undefined ? 'none' : `${formatCode(vouching.signature)}, at entry ${formatCount(vouching.seq)}`;
    return [
      formatLogName(log),
      `${formatCount(log.first.seq)} to ${formatCount(log.last.seq)}`,
      formatCode(log.last.hash),
      signature,
    ];
  });
  return [
    '## Proof',
    formatTable(['log', 'entries', 'last hash', 'signature'], rows),
    key === null
      ? 'The export was not signed: the writer of this log cannot be proven.'
      : `Signed with the key ${formatCode(key)} (Ed25519; its id is the SHA-256 of the public key).`,
    'The hash of each entry covers the entry and the hash before it: an altered, missing, moved or inserted entry breaks the hash chain, and a signature protects its end. This report alone proves nothing. To prove it, export the same entries with their proof and follow its `VERIFY.md`, or run:',
    formatFence(`longhand audit export${formatFilterFlags(filters)} --out proof\nlonghand audit verify proof`),
  ];
}

/** Formats a filter as flags of `longhand audit export`. A null tenant has no flag: the entries of all tenants contain it. */
function formatFilterFlags(filters: Manifest['filters']): string {
  return Object.entries(filters)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const flag = name === 'chainId' ? 'chain' : name;
      return ` --${flag} ${quoteForShell(typeof value === 'number' ? new Date(value).toISOString() : String(value))}`;
    })
    .join('');
}

function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
