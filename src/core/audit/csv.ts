/**
 * Entries as a table for spreadsheets: RFC 4180, one entry a row. What a spreadsheet would take for a formula is given a
 * quote in front: a task or a name may have been written by anybody.
 */

import { asText, canonical, type Json } from '../lib/json.js';
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

export function csvHead(): string {
  return rowText(columns);
}

export function csvRow({ entry, contents }: EntryWithContents): string {
  const { seq, at, namespace, tenant, type, agent, chainId, runId, eventId, item, who, what, previous, hash } = entry;
  const held = Object.fromEntries(contents.map(({ part, content }) => [part, content]));
  const named: { readonly [name: string]: Json } = what as unknown as { readonly [name: string]: Json };
  return rowText([
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
    text(named.call),
    text(named.tool),
    text(named.outcome ?? named.status ?? named.decision),
    canonical(what),
    contents.length === 0 ? null : canonical(held),
    previous,
    hash,
  ]);
}

function text(value: Json | undefined): string | null {
  return value === undefined || value === null ? null : asText(value);
}

function rowText(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => cellText(cell ?? '')).join(',')}\r\n`;
}

/** csv-stringify does not quote a line feed alone where rows end with CRLF, and needs Node's streams for its types. */
function cellText(cell: string): string {
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
