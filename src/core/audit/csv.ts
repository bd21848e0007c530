/** Formats audit entries as CSV, one entry per row. */

import { formatCsvLine, type Json, toCanonicalJson, toValueText } from '../lib/index.js';
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
  return formatCsvLine(columns);
}

export function formatCsvRow({ entry, contents }: EntryWithContents): string {
  const { seq, at, namespace, tenant, type, agent, chainId, runId, eventId, item, who, what, previous, hash } = entry;
  const contentByPart = Object.fromEntries(contents.map(({ part, content }) => [part, content]));
  const members: { readonly [name: string]: Json } = what as unknown as { readonly [name: string]: Json };
  return formatCsvLine([
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
    toCellText(members.call),
    toCellText(members.tool),
    toCellText(members.outcome ?? members.status ?? members.decision),
    toCanonicalJson(what),
    contents.length === 0 ? null : toCanonicalJson(contentByPart),
    previous,
    hash,
  ]);
}

function toCellText(value: Json | undefined): string | null {
  return value === undefined || value === null ? null : toValueText(value);
}
