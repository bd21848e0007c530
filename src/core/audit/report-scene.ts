/** One chain's entries, as a report asks for them: by type, by call, and by what was said in them. */

import { argumentsText, shorten } from '../lib/display.js';
import type { Json } from '../lib/json.js';
import { code } from '../print/markdown.js';
import type { AuditEntry, AuditType, EntryWithContents, Part } from './entry.js';

export type Of<T extends AuditType> = Extract<AuditEntry, { readonly type: T }>;

/** A chain's entries, looked up by type and by call. */
export interface ChainScene {
  readonly all: readonly EntryWithContents[];
  readonly of: <T extends AuditType>(type: T) => readonly Of<T>[];
  /** A content in words; what is to be said instead where it is not there; null where there was none. */
  readonly part: (entry: AuditEntry, part: Part) => string | null;
  readonly value: (entry: AuditEntry, part: Part) => Json | undefined;
  /** How a call ended, where it did. */
  readonly resultOf: (call: string) => Of<'tool_ended'> | undefined;
  /** Whether people were asked about a call. */
  readonly wasAsked: (call: string) => boolean;
}

/** Characters of a content in words. */
const longest = 300;

export function sceneOf(all: readonly EntryWithContents[], isErased: (entry: AuditEntry) => boolean): ChainScene {
  const contents = new Map(all.map((each) => [each.entry, each.contents]));
  const results = new Map(
    all.flatMap(({ entry }) => (entry.type === 'tool_ended' ? [[entry.what.call, entry] as const] : [])),
  );
  const asked = new Set(all.flatMap(({ entry }) => (entry.type === 'approval_asked' ? [entry.what.call] : [])));
  const of = <T extends AuditType>(type: T) =>
    all.flatMap(({ entry }) => (entry.type === type ? [entry as Of<T>] : []));
  const value = (entry: AuditEntry, part: Part) =>
    contents.get(entry)?.find((content) => content.part === part)?.content;
  const part = (entry: AuditEntry, part: Part) => {
    const digests = entry.contents.find((content) => content.part === part);
    const held = value(entry, part);
    if (held !== undefined) return shorten(argumentsText(held), longest);
    if (digests === undefined) return null;
    if (digests.kept === undefined) return '(only its digest is kept)';
    return isErased(entry) ? '(content erased)' : '(content missing)';
  };
  return { all, of, part, value, resultOf: (call) => results.get(call), wasAsked: (call) => asked.has(call) };
}

export function worded(text: string | null): string | null {
  return text === null ? null : code(text);
}
