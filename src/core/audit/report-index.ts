/** One chain's entries, as a report asks for them: by type, by call, and by what was said in them. */

import { formatArguments, shorten } from '../lib/display.js';
import type { Json } from '../lib/json.js';
import { formatCode } from '../print/markdown.js';
import type { AuditEntry, AuditType, ContentPart, EntryWithContents } from './entry.js';

export type EntryOfType<T extends AuditType> = Extract<AuditEntry, { readonly type: T }>;

/** A chain's entries, looked up by type and by call. */
export interface ReportIndex {
  readonly all: readonly EntryWithContents[];
  readonly listByType: <T extends AuditType>(type: T) => readonly EntryOfType<T>[];
  /** A content in words; what is to be said instead where it is not there; null where there was none. */
  readonly part: (entry: AuditEntry, part: ContentPart) => string | null;
  readonly value: (entry: AuditEntry, part: ContentPart) => Json | undefined;
  /** How a call ended, where it did. */
  readonly findResult: (call: string) => EntryOfType<'tool_ended'> | undefined;
  /** Whether people were asked about a call. */
  readonly wasRequested: (call: string) => boolean;
}

/** Characters of a content in words. */
const longest = 300;

export function createReportIndex(
  all: readonly EntryWithContents[],
  isErased: (entry: AuditEntry) => boolean,
): ReportIndex {
  const contents = new Map(all.map((each) => [each.entry, each.contents]));
  const results = new Map(
    all.flatMap(({ entry }) => (entry.type === 'tool_ended' ? [[entry.what.call, entry] as const] : [])),
  );
  const asked = new Set(all.flatMap(({ entry }) => (entry.type === 'approval_requested' ? [entry.what.call] : [])));
  const of = <T extends AuditType>(type: T) =>
    all.flatMap(({ entry }) => (entry.type === type ? [entry as EntryOfType<T>] : []));
  const value = (entry: AuditEntry, part: ContentPart) =>
    contents.get(entry)?.find((content) => content.part === part)?.content;
  const part = (entry: AuditEntry, part: ContentPart) => {
    const digests = entry.contents.find((content) => content.part === part);
    const held = value(entry, part);
    if (held !== undefined) return shorten(formatArguments(held), longest);
    if (digests === undefined) return null;
    if (digests.kept === undefined) return '(only its digest is kept)';
    return isErased(entry) ? '(content erased)' : '(content missing)';
  };
  return {
    all,
    listByType: of,
    part,
    value,
    findResult: (call) => results.get(call),
    wasRequested: (call) => asked.has(call),
  };
}

export function formatOptionalCode(text: string | null): string | null {
  return text === null ? null : formatCode(text);
}
