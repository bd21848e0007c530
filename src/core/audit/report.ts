/**
 * The audit log as a report for people who have to answer for what an agent did: what was asked, what came of it, step by
 * step how, with which data, who approved, by which model and which words, and the proof that none of it was altered.
 *
 * 1. Made of the log's entries alone. What somebody said stands in a fence or as code: nothing in it is rendered.
 * 2. What is not there is said: contents that were erased, masked or never kept.
 */

import { count } from '../lib/display.js';
import { code, fence, table } from '../print/markdown.js';
import type { AuditEntry, EntryWithContents } from './entry.js';
import { headIn, logKey, logText } from './head.js';
import type { LogSpan, Manifest } from './manifest.js';
import { chainBlocks } from './report-chain.js';
import { erasuresIn } from './verify.js';

export interface AuditReport
  extends Pick<Manifest, 'exportedAt' | 'exportedBy' | 'filters' | 'logs' | 'heads' | 'key'> {
  /** In the order of their logs. */
  readonly entries: readonly EntryWithContents[];
}

export function reportOf(report: AuditReport): string {
  const { entries } = report;
  const isErased = erasuresIn(entries.map(({ entry }) => entry));
  const chains = new Map<string, EntryWithContents[]>();
  const others: AuditEntry[] = [];
  for (const each of entries) {
    const { entry } = each;
    if (entry.chainId === null || entry.type === 'exported' || entry.type === 'verified') {
      others.push(entry);
      continue;
    }
    const key = `${logKey(entry)}${entry.chainId}`;
    chains.set(key, [...(chains.get(key) ?? []), each]);
  }
  const blocks = [
    '# Audit report',
    summary(report, chains.size),
    ...[...chains.values()].flatMap((chain) => chainBlocks(chain, isErased)),
    ...(others.length === 0 ? [] : ['## Besides', others.map(otherLine).join('\n')]),
    ...proof(report),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function summary({ exportedAt, exportedBy, filters, entries }: AuditReport, chains: number): string {
  const asked = Object.entries(filters).map(([name, value]) => `${name} ${code(String(value))}`);
  const lines = [
    `- made: ${exportedAt}${exportedBy === null ? '' : `, by ${code(exportedBy)}`}`,
    `- of: ${asked.length === 0 ? 'the whole log' : asked.join(', ')}`,
    `- holds: ${count(entries.length)} entries, ${count(chains)} ${chains === 1 ? 'chain' : 'chains'}`,
  ];
  return lines.join('\n');
}

function otherLine({ at, type, who, what }: AuditEntry): string {
  const by = who?.by === undefined || who.by === null ? '' : ` by ${code(who.by)}`;
  return `- ${new Date(at).toISOString()} ${type.replaceAll('_', ' ')}${by}: ${code(JSON.stringify(what))}`;
}

function proof({ logs, heads, key, filters }: AuditReport): readonly string[] {
  const rows = logs.map((log: LogSpan) => {
    const vouching = heads.flatMap((signed) => {
      const head = headIn(signed);
      return head !== null && logKey(head) === logKey(log) && head.seq >= log.last.seq ? [{ ...head, ...signed }] : [];
    })[0];
    const signature = vouching === undefined ? 'none' : `${code(vouching.signature)}, at entry ${count(vouching.seq)}`;
    return [logText(log), `${count(log.first.seq)} to ${count(log.last.seq)}`, code(log.last.hash), signature];
  });
  const asked = filters.chainId === undefined ? '' : ` --chain ${filters.chainId}`;
  return [
    '## Proof',
    table(['log', 'entries', 'hash of the last', 'signature'], rows),
    key === null
      ? 'There was no key to sign with: nothing proves who wrote this log.'
      : `Signed with the key ${code(key)} (Ed25519; its id is the SHA-256 of the public key).`,
    'Every entry carries a hash of itself and of the one before it: who alters, leaves out, moves or puts in an entry breaks the chain, and a signature holds its end. A report is for reading and proves nothing by itself. For that, export the same entries with their proof, and follow the `VERIFY.md` that lies beside them, or:',
    fence(`longhand audit export${asked} --out proof\nlonghand audit verify proof`),
  ];
}
