/** What is wrong with an audit log or an export of one, and where, in words for a person. */

import { formatCount } from '../lib/display.js';
import { formatLogName, type LogName } from './head.js';

export type AuditFinding =
  /** A line that is no entry, or not as it was written. */
  | { readonly kind: 'unreadable'; readonly file: 'entries' | 'contents'; readonly line: number }
  | ({
      readonly kind:
        | 'altered'
        | 'doubled'
        /** It has the place of another one, on which the log goes on. */
        | 'inserted'
        | 'reordered';
      readonly seq: number;
      readonly line: number;
    } & LogName)
  | ({
      readonly kind:
        | 'missing'
        /** The end is missing, which a signed head vouches for. */
        | 'truncated'
        /** Hashed anew: all is consistent, and not what was signed. */
        | 'rewritten'
        /** No signed head vouches for them. */
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
  /** No log of the namespace has a head by a key that counts: all was deleted, or written without the key. */
  | { readonly kind: 'nothing_signed'; readonly namespace: string }
  | ({
      readonly kind: 'content_altered' | 'content_missing' | 'content_inserted';
      readonly seq: number;
      readonly part: string;
    } & LogName)
  /** Of an export: what lies beside the entries. */
  | { readonly kind: 'file_altered' | 'file_missing'; readonly file: string }
  | { readonly kind: 'manifest_unreadable'; readonly problem: string }
  | { readonly kind: 'manifest_signature' | 'manifest_key'; readonly key: string }
  | { readonly kind: 'manifest_unsigned' };

/** One sentence, without its full stop. */
export function formatFinding(finding: AuditFinding): string {
  switch (finding.kind) {
    case 'unreadable':
      return `Line ${formatCount(finding.line)} of ${finding.file}.jsonl is not as it was written: it cannot be read`;
    case 'altered':
      return `Entry ${formatEntry(finding)} was altered: it does not have the hash that the log goes on with`;
    case 'doubled':
      return `Entry ${formatEntry(finding)} stands there twice, again in line ${formatCount(finding.line)}`;
    case 'inserted':
      return `An entry was inserted in line ${formatCount(finding.line)}: it has the place of entry ${formatEntry(finding)}, on which the log goes on`;
    case 'reordered':
      return `Entry ${formatEntry(finding)} is not in its place: it stands in line ${formatCount(finding.line)}`;
    case 'missing':
      return `${formatEntryRange(finding)} missing`;
    case 'truncated':
      return `${formatEntryRange(finding)} missing at the end, for which there is a signature`;
    case 'rewritten':
      return `The log was written anew: what was signed is not what stands there. It differs ${formatRange(finding)} (${formatLogName(finding)})`;
    case 'unsigned':
      return `${formatEntryRange(finding)} vouched for by no signature`;
    case 'bad_signature':
      return `The signature of the head at entry ${formatEntry(finding)} is wrong: it was altered, or signed with another key than ${shortenKey(finding.key)}`;
    case 'unknown_key':
      return `The head at entry ${formatEntry(finding)} is signed with key ${shortenKey(finding.key)}, which is none of those that count`;
    case 'unreadable_head':
      return `Signed head ${finding.head} cannot be read`;
    case 'nothing_signed':
      return `Nothing in the audit log of namespace ${finding.namespace} is signed with a key that counts`;
    case 'content_altered':
      return `The ${finding.part} of entry ${formatEntry(finding)} was altered: its digest is another one`;
    case 'content_missing':
      return `The ${finding.part} of entry ${formatEntry(finding)} is missing, and no entry that counts says that it was erased`;
    case 'content_inserted':
      return `There is a ${finding.part} of entry ${formatEntry(finding)} that the entry does not have`;
    case 'file_altered':
      return `${finding.file} was altered: its digest is not the manifest's`;
    case 'file_missing':
      return `${finding.file} is missing`;
    case 'manifest_unreadable':
      return `The manifest cannot be read: ${finding.problem}`;
    case 'manifest_signature':
      return `The signature of the manifest is wrong: it was altered, or signed with another key than ${shortenKey(finding.key)}`;
    case 'manifest_key':
      return `The manifest is signed with key ${shortenKey(finding.key)}, which is none of those that count`;
    case 'manifest_unsigned':
      return 'The export is not signed: nothing in it proves who wrote it';
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
    : `from entry ${formatCount(from)} to ${formatCount(to)} somewhere`;
}

/** As much of a key's id as tells keys apart. */
export function shortenKey(key: string): string {
  return key.slice(0, 16);
}
