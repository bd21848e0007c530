/**
 * Formats audit entries as CSV for spreadsheets (RFC 4180), one entry per row. A cell that a spreadsheet would evaluate as a
 * formula gets a leading quote: tasks and names are untrusted.
 */

import { type Json, toCanonicalJson, toValueText } from '../lib/json.js';
import type { EntryWithContents } from './entry.js';

const columns = [
  'seq',
  'at',
  'namespace',
  'tenant',
  'type',
  'agent',
  'chain',
  'run',
  'event',
  'item',
  'by',
  'roles',
  'call',
  'tool',
  'outcome',
  'what',
  'contents',
  'previous',
  'hash',
] as const;

export function formatCsvHeader(): string {
  return formatRow(columns);
}

export function formatCsvRow({ entry, contents }: EntryWithContents): string {
  const { seq, at, namespace, tenant, type, agent, chainId, runId, eventId, item, who, what, previous, hash } = entry;
  const held = Object.fromEntries(contents.map(({ part, content }) => [part, content]));
  const named: { readonly [name: string]: Json } = what as unknown as { readonly [name: string]: Json };
  return formatRow([
    String(seq),
    new Date(at).toISOString(),
    namespace,
    tenant,
    type,
    agent,
    chainId,
    runId,
    eventId === null ? null : String(eventId),
    String(item),
    who?.by ?? null,
    who?.roles.join(' ') ?? null,
    toCellText(named.call),
    toCellText(named.tool),
    toCellText(named.outcome ?? named.status ?? named.decision),
    toCanonicalJson(what),
    contents.length === 0 ? null : toCanonicalJson(held),
    previous,
    hash,
  ]);
}

function toCellText(value: Json | undefined): string | null {
  return value === undefined || value === null ? null : toValueText(value);
}

function formatRow(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => quoteCell(cell ?? '')).join(',')}\r\n`;
}

/** Not csv-stringify: it leaves a single line feed unquoted when rows end with CRLF, and its types need Node's streams. */
function quoteCell(cell: string): string {
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
