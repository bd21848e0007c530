/**
 * The audit log as a report for people who have to answer for what an agent did: what was asked, what came of it, step by
 * step how, with which data, who approved, by which model and which words, and the proof that none of it was altered.
 *
 * 1. Made of the log's entries alone. What somebody said stands in a fence or as code: nothing in it is rendered.
 * 2. What is not there is said: contents that were erased, masked or never kept.
 */

import { formatCount } from '../lib/display.js';
import { formatCode, formatFence, formatTable } from '../print/markdown.js';
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
  for (const each of entries) {
    const { entry } = each;
    if (entry.chainId === null || entry.type === 'exported' || entry.type === 'verified') {
      others.push(entry);
      continue;
    }
    const key = `${toLogKey(entry)}${entry.chainId}`;
    chains.set(key, [...(chains.get(key) ?? []), each]);
  }
  const blocks = [
    '# Audit report',
    formatSummary(report, chains.size),
    ...[...chains.values()].flatMap((chain) => formatChainBlocks(chain, isErased)),
    ...(others.length === 0 ? [] : ['## Besides', others.map(formatOtherEntry).join('\n')]),
    ...formatProof(report),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function formatSummary({ exportedAt, exportedBy, filters, entries }: AuditReport, chains: number): string {
  const asked = Object.entries(filters).map(([name, value]) => `${name} ${formatCode(String(value))}`);
  const lines = [
    `- made: ${exportedAt}${exportedBy === null ? '' : `, by ${formatCode(exportedBy)}`}`,
    `- of: ${asked.length === 0 ? 'the whole log' : asked.join(', ')}`,
    `- holds: ${formatCount(entries.length)} entries, ${formatCount(chains)} ${chains === 1 ? 'chain' : 'chains'}`,
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
  const asked = filters.chainId === undefined ? '' : ` --chain ${filters.chainId}`;
  return [
    '## Proof',
    formatTable(['log', 'entries', 'hash of the last', 'signature'], rows),
    key === null
      ? 'There was no key to sign with: nothing proves who wrote this log.'
      : `Signed with the key ${formatCode(key)} (Ed25519; its id is the SHA-256 of the public key).`,
    'Every entry carries a hash of itself and of the one before it: who alters, leaves out, moves or puts in an entry breaks the chain, and a signature holds its end. A report is for reading and proves nothing by itself. For that, export the same entries with their proof, and follow the `VERIFY.md` that lies beside them, or:',
    formatFence(`longhand audit export${asked} --out proof\nlonghand audit verify proof`),
  ];
}
