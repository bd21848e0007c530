/** Runs of chains as input of the audit log, and logs of these runs. */

import { randomBytes } from 'node:crypto';
import { type AuditedRun, computeAuditDrafts } from '../../src/core/audit/audit-drafts.js';
import type { AuditDraft, AuditEntry } from '../../src/core/audit/entry.js';
import { formatHead, type LogHead, type SignedHead } from '../../src/core/audit/head.js';
import { type ContentLine, formatExportLine } from '../../src/core/audit/line.js';
import type { AuditPolicy } from '../../src/core/audit/policy.js';
import { type ContentRow, emptyLog, type LogEnd, sealEntry } from '../../src/core/audit/seal.js';
import type { LogProof, SignatureCheck } from '../../src/core/audit/verify.js';
import { foldRecordedTurns } from '../../src/core/engine/fold-turns.js';
import type { Play } from './core-play.js';

export const aRun: AuditedRun = {
  namespace: 'default',
  chainId: 'chain-1',
  runId: 'run-1',
  closed: 'completed',
  closedAt: 9_000,
  result: null,
};

export function draftsOf(play: Play, policy: AuditPolicy = {}, run: Partial<AuditedRun> = {}): readonly AuditDraft[] {
  return computeAuditDrafts(foldRecordedTurns(play.turns).turns, null, { ...aRun, ...run }, policy);
}

export const random = (): string => randomBytes(16).toString('hex');

export interface SomeLog {
  readonly entries: readonly AuditEntry[];
  readonly contents: readonly ContentLine[];
}

/** A log of these drafts, for a single tenant. */
export function logOf(drafts: readonly AuditDraft[]): SomeLog {
  let end: LogEnd = emptyLog;
  const entries: AuditEntry[] = [];
  const contents: ContentLine[] = [];
  for (const draft of drafts) {
    const sealed = sealEntry(draft, end, { random });
    end = sealed.entry;
    entries.push(sealed.entry);
    contents.push(...sealed.contents.flatMap((content) => lineOf(content, sealed.entry)));
  }
  return { entries, contents };
}

function lineOf({ seq, part, salt, content }: ContentRow, entry: AuditEntry): readonly ContentLine[] {
  if (salt === null || content === null) return [];
  const { namespace, tenant } = entry;
  return [{ namespace, tenant, seq, part, salt, content: JSON.parse(content) }];
}

/** A forgeable signature, which contains the signed text. */
export function headAt({ namespace, tenant, seq, hash }: Omit<LogHead, 'at' | 'key'>, key = 'key-1'): SignedHead {
  const signed = formatHead({ namespace, tenant, seq, hash, at: 1, key });
  return { signed, signature: `${key} signed ${signed}` };
}

export const checkSignature: SignatureCheck = (key, text, signature) => {
  if (key !== 'key-1') return 'unknown';
  return signature === `${key} signed ${text}` ? 'good' : 'bad';
};

/** The proof of a log, with heads at these numbers and at the end. */
export function proofOf({ entries, contents }: SomeLog, ...at: readonly number[]): LogProof {
  const heads = entries.filter(({ seq }) => seq === entries.length || at.includes(seq));
  return {
    entries: entries.map((entry) => formatExportLine(entry).trimEnd()),
    contents: contents.map((content) => formatExportLine(content).trimEnd()),
    heads: heads.map((entry) => headAt(entry)),
  };
}
