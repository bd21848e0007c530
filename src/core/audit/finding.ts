/** Faults that verification finds in an audit log or an export, and their messages. */

import { formatCount } from '../lib/index.js';
import { formatLogName, type LogName } from './head.js';

export type AuditFinding =
  /** A line that is not an entry, or not in canonical form. */
  | { readonly kind: 'unreadable'; readonly file: 'entries' | 'contents' | 'prompts'; readonly line: number }
  | ({
      readonly kind:
        | 'altered'
        | 'doubled'
        /** It has the number of another entry, to which the next entry is chained. */
        | 'inserted'
        | 'reordered';
      readonly seq: number;
      readonly line: number;
    } & LogName)
  | ({
      readonly kind:
        | 'missing'
        /** Entries at the end are missing that a signed head covers. */
        | 'truncated'
        /** All hashes are consistent, but differ from a signed head. */
        | 'rewritten'
        /** No signed head covers these entries. */
        | 'unsigned';
      readonly from: number;
      readonly to: number;
    } & LogName)
  | ({
      readonly kind: 'bad_signature' | 'unknown_key';
      readonly seq: number;
      readonly key: string;
    } & LogName)
  | { readonly kind: 'unreadable_head'; readonly head: number }
  /** No log of the namespace has a head by an accepted key: all was deleted, or written without the key. */
  | { readonly kind: 'nothing_signed'; readonly namespace: string }
  | ({
      readonly kind: 'content_altered' | 'content_missing' | 'content_inserted';
      readonly seq: number;
      readonly part: string;
    } & LogName)
  | ({
      readonly kind: /** Its request is not the one that was sent: its digest differs from that in the entry of the call. */
      'prompt_altered' | 'prompt_missing' | 'prompt_inserted';
      readonly seq: number;
      readonly call: string;
    } & LogName)
  /** Faults of an export's other files. */
  | { readonly kind: 'file_altered' | 'file_missing'; readonly file: string }
  | { readonly kind: 'manifest_unreadable'; readonly problem: string }
  | { readonly kind: 'manifest_signature' | 'manifest_key'; readonly key: string }
  | { readonly kind: 'manifest_unsigned' };

/** Formats a finding as one sentence without its full stop. */
export function formatFinding(finding: AuditFinding): string {
  switch (finding.kind) {
    case 'unreadable':
      return `Line ${formatCount(finding.line)} of ${finding.file}.jsonl was altered: it cannot be read`;
    case 'altered':
      return `Entry ${formatEntry(finding)} was altered: its hash does not match`;
    case 'doubled':
      return `Entry ${formatEntry(finding)} is duplicated in line ${formatCount(finding.line)}`;
    case 'inserted':
      return `An entry was inserted in line ${formatCount(finding.line)}: it has the number of entry ${formatEntry(finding)}, to which the next entry is chained`;
    case 'reordered':
      return `Entry ${formatEntry(finding)} was moved to line ${formatCount(finding.line)}`;
    case 'missing':
      return `${formatEntryRange(finding)} missing`;
    case 'truncated':
      return `${formatEntryRange(finding)} missing at the end, although signed`;
    case 'rewritten':
      return `The log was rewritten: it differs from its signed head ${formatRange(finding)} (${formatLogName(finding)})`;
    case 'unsigned':
      return `${formatEntryRange(finding)} not covered by a signature`;
    case 'bad_signature':
      return `Invalid signature of the head at entry ${formatEntry(finding)}: the head was altered, or was not signed with key ${shortenKey(finding.key)}`;
    case 'unknown_key':
      return `The head at entry ${formatEntry(finding)} is signed with key ${shortenKey(finding.key)}, which is not an accepted key`;
    case 'unreadable_head':
      return `Signed head ${finding.head} cannot be read`;
    case 'nothing_signed':
      return `No entry in the audit log of namespace ${finding.namespace} is signed with an accepted key`;
    case 'content_altered':
      return `The ${finding.part} of entry ${formatEntry(finding)} was altered: its digest does not match`;
    case 'content_missing':
      return `The ${finding.part} of entry ${formatEntry(finding)} is missing, and no valid entry records its erasure`;
    case 'content_inserted':
      return `A ${finding.part} was inserted: entry ${formatEntry(finding)} has no such content`;
    case 'prompt_altered':
      return `The prompt of ${finding.call} in entry ${formatEntry(finding)} differs from the one that was sent: it was altered, or another version of Longhand rebuilt it`;
    case 'prompt_missing':
      return `The prompt of ${finding.call} in entry ${formatEntry(finding)} is missing`;
    case 'prompt_inserted':
      return `A prompt of ${finding.call} was inserted: entry ${formatEntry(finding)} is no such call`;
    case 'file_altered':
      return `${finding.file} was altered: its digest differs from the manifest`;
    case 'file_missing':
      return `${finding.file} is missing`;
    case 'manifest_unreadable':
      return `The manifest cannot be read: ${finding.problem}`;
    case 'manifest_signature':
      return `Invalid signature of the manifest: it was altered, or was not signed with key ${shortenKey(finding.key)}`;
    case 'manifest_key':
      return `The manifest is signed with key ${shortenKey(finding.key)}, which is not an accepted key`;
    case 'manifest_unsigned':
      return 'The export is not signed: its writer cannot be proven';
  }
}

function formatEntry({ seq, ...log }: LogName & { readonly seq: number }): string {
  return `${formatCount(seq)} (${formatLogName(log)})`;
}

function formatEntryRange({ from, to, ...log }: LogName & { readonly from: number; readonly to: number }): string {
  const one = from === to;
  return `${one ? `Entry ${formatCount(from)}` : `Entries ${formatCount(from)} to ${formatCount(to)}`} (${formatLogName(log)}) ${one ? 'is' : 'are'}`;
}

function formatRange({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to
    ? `at entry ${formatCount(from)}`
    : `somewhere from entry ${formatCount(from)} to ${formatCount(to)}`;
}

/** Shortens a key's id to the 16 characters that messages show. */
function shortenKey(key: string): string {
  return key.slice(0, 16);
}
