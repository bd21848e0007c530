/**
 * Whether an audit log, or a part of one, is as it was written, and who vouches for it. Pure: signatures are looked at by
 * whoever asks, since their keys are theirs.
 *
 * 1. Each change of a line is found: by its number, its hash, the entry after it, or a signed head.
 * 2. Of several faults the first one in the log is named first; what follows from it is not told as another.
 * 3. No clock is believed: the order is that of the numbers.
 */

import { digest, type Sha256 } from '../lib/digest.js';
import type { AuditEntry, ContentDigest } from './entry.js';
import type { Finding } from './finding.js';
import { type Head, headIn, type LogName, logKey, type SignedHead } from './head.js';
import { type ContentLine, readContent, readLine } from './line.js';
import { contentDigest, hashOf } from './seal.js';
import { inOrder, type Placed } from './verify-order.js';

/** `unknown`: the key is none of those that count. */
export type CheckSignature = (key: string, text: string, signature: string) => 'good' | 'bad' | 'unknown';

export interface LogProof {
  /** The lines of the entries, in the order in which they stand. */
  readonly entries: readonly string[];
  readonly contents: readonly string[];
  readonly heads: readonly SignedHead[];
  /** The first number that is to be there, by the key of its log (`logKey`); 1 where nothing is said. */
  readonly firsts?: ReadonlyMap<string, number>;
  /** Heads that an outside witness holds, each checked like those beside the entries. */
  readonly anchored?: readonly SignedHead[];
  /** Whether an erasure counts only if a good head vouches for its entry: otherwise anybody who can append excuses what is gone. */
  readonly vouchedErasures?: boolean;
}

export interface LogVerified {
  readonly findings: readonly Finding[];
  readonly entries: number;
  readonly leftOut: number;
  readonly contents: number;
  /** Contents that an entry says were erased. */
  readonly erased: number;
  /** The newest good head of each log. */
  readonly heads: readonly Head[];
}

export function verifyLogs(proof: LogProof, check: CheckSignature, sha256: Sha256 = digest): LogVerified {
  const findings: Finding[] = [];
  const logs = new Map<string, { readonly log: LogName; readonly lines: Placed[] }>();
  for (const [index, text] of proof.entries.entries()) {
    const line = readLine(text, sha256);
    if (line === null) {
      findings.push({ kind: 'unreadable', file: 'entries', line: index + 1 });
      continue;
    }
    const { namespace, tenant } = line.entry;
    const key = logKey({ namespace, tenant });
    const known = logs.get(key) ?? { log: { namespace, tenant }, lines: [] };
    known.lines.push({ at: index + 1, line });
    logs.set(key, known);
  }
  const heads = headsIn([...proof.heads, ...(proof.anchored ?? [])], check);
  findings.push(...heads.findings);
  for (const { log } of heads.good) {
    if (!logs.has(logKey(log))) logs.set(logKey(log), { log, lines: [] });
  }
  const entries: AuditEntry[] = [];
  let leftOut = 0;
  for (const [key, { log, lines }] of logs) {
    const good = heads.good.flatMap(({ log: of, head }) => (logKey(of) === key ? [head] : []));
    findings.push(...verifyLog(lines, log, { heads: good, first: proof.firsts?.get(key) ?? 1, sha256 }));
    for (const { line } of lines) {
      if (line.kind === 'entry') entries.push(line.entry);
      else leftOut += 1;
    }
  }
  const all = newest(heads.good.map(({ head }) => head));
  const vouched = new Map(all.map((head) => [logKey(head), head.seq]));
  const counts = (entry: AuditEntry) => !proof.vouchedErasures || entry.seq <= (vouched.get(logKey(entry)) ?? 0);
  const contents = verifyContents(entries, proof.contents, erasuresIn(entries.filter(counts)));
  return {
    findings: [...findings, ...contents.findings],
    entries: entries.length,
    leftOut,
    contents: contents.there,
    erased: contents.erased,
    heads: all,
  };
}

interface Against {
  readonly heads: readonly Head[];
  readonly first: number;
  readonly sha256: Sha256;
}

function verifyLog(lines: readonly Placed[], log: LogName, { heads, first, sha256 }: Against): readonly Finding[] {
  const { findings: order, entries } = inOrder(lines, log, first);
  const altered: Finding[] = [];
  let before: Placed | null = null;
  for (const placed of entries) {
    const wrong = wrongWith(placed, before, sha256);
    const last = altered.at(-1);
    if (wrong !== null && !(last?.kind === 'altered' && last.seq >= wrong.line.entry.seq)) {
      altered.push({ kind: 'altered', seq: wrong.line.entry.seq, line: wrong.at, ...log });
    }
    before = placed;
  }
  const found = [...order, ...altered].toSorted((a, b) => placeOf(a) - placeOf(b));
  return [...found, ...againstHeads(entries, log, heads, found.length === 0)];
}

/** Which of two neighbours is not what it was: the entry itself, or the one before, which this one was not chained to. */
function wrongWith(placed: Placed, before: Placed | null, sha256: Sha256): Placed | null {
  const { line } = placed;
  const behind = before !== null && before.line.entry.seq === line.entry.seq - 1 ? before : null;
  if (line.kind === 'entry') {
    if (hashOf(line.entry.previous, line.digest, sha256) !== line.entry.hash) return placed;
    if (line.entry.seq === 1 && line.entry.previous !== '') return placed;
    return behind !== null && behind.line.entry.hash !== line.entry.previous ? behind : null;
  }
  // Of one that is left out, only both together can be looked at.
  const from = line.entry.seq === 1 ? '' : (behind?.line.entry.hash ?? null);
  return from !== null && hashOf(from, line.digest, sha256) !== line.entry.hash ? placed : null;
}

/** The end, and what was signed. Of a log with faults only what is missing at its end is told besides. */
function againstHeads(
  entries: readonly Placed[],
  log: LogName,
  heads: readonly Head[],
  whole: boolean,
): readonly Finding[] {
  const bySeq = new Map(entries.map(({ line }) => [line.entry.seq, line.entry.hash]));
  const last = entries.at(-1)?.line.entry.seq ?? 0;
  const found: Finding[] = [];
  let agreed = entries[0]?.line.entry.seq ?? 1;
  for (const head of heads.toSorted((a, b) => a.seq - b.seq)) {
    const there = bySeq.get(head.seq);
    if (head.seq > last) {
      found.push({ kind: 'truncated', from: last + 1, to: head.seq, ...log });
      break;
    }
    if (there === head.hash) agreed = head.seq;
    else if (there !== undefined && whole) {
      found.push({ kind: 'rewritten', from: agreed, to: head.seq, ...log });
      break;
    }
  }
  const vouched = Math.max(0, ...heads.map(({ seq }) => seq));
  if (found.length > 0 || vouched >= last) return found;
  const from = Math.max(vouched + 1, entries[0]?.line.entry.seq ?? 1);
  return [{ kind: 'unsigned', from, to: last, ...log }];
}

function headsIn(signed: readonly SignedHead[], check: CheckSignature) {
  const findings: Finding[] = [];
  const good: { readonly log: LogName; readonly head: Head }[] = [];
  for (const [index, each] of signed.entries()) {
    const head = headIn(each);
    if (head === null) {
      findings.push({ kind: 'unreadable_head', head: index + 1 });
      continue;
    }
    const { namespace, tenant, seq, key } = head;
    const log = { namespace, tenant };
    const said = check(key, each.signed, each.signature);
    if (said === 'good') good.push({ log, head });
    else findings.push({ kind: said === 'bad' ? 'bad_signature' : 'unknown_key', seq, key, ...log });
  }
  return { findings, good };
}

function newest(heads: readonly Head[]): readonly Head[] {
  const last = new Map<string, Head>();
  for (const head of heads) {
    const known = last.get(logKey(head));
    if (known === undefined || known.seq < head.seq) last.set(logKey(head), head);
  }
  return [...last.values()];
}

function verifyContents(
  entries: readonly AuditEntry[],
  texts: readonly string[],
  isErased: (entry: AuditEntry) => boolean,
) {
  const findings: Finding[] = [];
  const held = new Map<string, ContentLine>();
  for (const [index, text] of texts.entries()) {
    const content = readContent(text);
    if (content === null || held.has(keyOf(content, content.part))) {
      findings.push({ kind: 'unreadable', file: 'contents', line: index + 1 });
    } else held.set(keyOf(content, content.part), content);
  }
  let there = 0;
  let erased = 0;
  for (const entry of entries) {
    for (const { part, kept } of entry.contents) {
      if (kept === undefined) continue;
      const content = held.get(keyOf(entry, part));
      held.delete(keyOf(entry, part));
      const { namespace, tenant, seq } = entry;
      if (content !== undefined && contentDigest(content) === kept) there += 1;
      else if (content !== undefined) findings.push({ kind: 'content_altered', seq, part, namespace, tenant });
      else if (isErased(entry)) erased += 1;
      else findings.push({ kind: 'content_missing', seq, part, namespace, tenant });
    }
  }
  for (const { seq, part, namespace, tenant } of held.values()) {
    findings.push({ kind: 'content_inserted', seq, part, namespace, tenant });
  }
  return { findings, there, erased };
}

/** What entries say of contents that are gone: only those before them were meant. */
export function erasuresIn(entries: readonly AuditEntry[]): (entry: AuditEntry) => boolean {
  const erasedUntil = new Map<string, number>();
  for (const entry of entries) {
    if (entry.type !== 'erased') continue;
    for (const chainId of entry.what.chains) {
      const key = `${logKey(entry)}${chainId}`;
      erasedUntil.set(key, Math.max(entry.seq, erasedUntil.get(key) ?? 0));
    }
  }
  return (entry) => entry.chainId !== null && entry.seq < (erasedUntil.get(`${logKey(entry)}${entry.chainId}`) ?? 0);
}

function keyOf(of: LogName & { readonly seq: number }, part: ContentDigest['part']): string {
  return `${logKey(of)}${of.seq} ${part}`;
}

/** In the order of the log. */
function placeOf(finding: Finding): number {
  if ('seq' in finding) return finding.seq;
  return 'from' in finding ? finding.from : 0;
}
