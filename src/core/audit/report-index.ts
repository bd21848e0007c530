/** Looks up one chain's entries for a report: by type, by call, and their contents. */

import { formatArguments, type Json, shorten } from '../lib/index.js';
import { formatCode } from '../view/index.js';
import type { AuditEntry, AuditType, ContentPart, EntryWithContents } from './entry.js';

export type EntryOfType<T extends AuditType> = Extract<AuditEntry, { readonly type: T }>;

/** The entries of a chain by type and by call. */
export interface ReportIndex {
  readonly all: readonly EntryWithContents[];
  readonly listByType: <T extends AuditType>(type: T) => readonly EntryOfType<T>[];
  /** Text of a content, or a note in parentheses why it is missing; null if the entry has no such content. */
  readonly part: (entry: AuditEntry, part: ContentPart) => string | null;
  readonly value: (entry: AuditEntry, part: ContentPart) => Json | undefined;
  /** The result of a call that ended. */
  readonly findResult: (call: string) => EntryOfType<'tool_ended'> | undefined;
  /** Whether the call had a request to people. */
  readonly wasRequested: (call: string) => boolean;
}

/** Longest text of a content, in characters. */
const longest = 300;

export function createReportIndex(
  all: readonly EntryWithContents[],
  isErased: (entry: AuditEntry) => boolean,
): ReportIndex {
  const contents = new Map(all.map((row) => [row.entry, row.contents]));
  const results = new Map(
    all.flatMap(({ entry }) => (entry.type === 'tool_ended' ? [[entry.what.call, entry] as const] : [])),
  );
  const requestCalls = new Set(
    all.flatMap(({ entry }) => (entry.type === 'approval_requested' ? [entry.what.call] : [])),
  );
  const listByType = <T extends AuditType>(type: T) =>
    all.flatMap(({ entry }) => (entry.type === type ? [entry as EntryOfType<T>] : []));
  const value = (entry: AuditEntry, part: ContentPart) =>
    contents.get(entry)?.find((content) => content.part === part)?.content;
  const part = (entry: AuditEntry, part: ContentPart) => {
    const digests = entry.contents.find((content) => content.part === part);
    const storedContent = value(entry, part);
    if (storedContent !== undefined) return shorten(formatArguments(storedContent), longest);
    if (digests === undefined) return null;
    if (digests.stored === undefined) return '(only its digest is stored)';
    return isErased(entry) ? '(content erased)' : '(content missing)';
  };
  return {
    all,
    listByType,
    part,
    value,
    findResult: (call) => results.get(call),
    wasRequested: (call) => requestCalls.has(call),
  };
}

export function formatOptionalCode(text: string | null): string | null {
  return text === null ? null : formatCode(text);
}
