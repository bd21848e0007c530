/**
 * Exports a part of the audit log with its proof.
 *
 * 1. The exported logs record the export before anything is read; without that record there is no export.
 * 2. The export has every entry from the first wanted one to a head that signs the last: unwanted entries as digests only,
 *    so that an omission is detected.
 * 3. An export with contents of a chain includes the entries that record its erasure.
 * 4. Entries are read and written in pieces: a log may be larger than memory.
 */

import { createHash } from 'node:crypto';
import {
  type Actor,
  type AuditEntry,
  auditFormat,
  auditVersion,
  contentsFile,
  type EntryWithContents,
  entriesFile,
  type FileDigest,
  formatExportLine,
  formatRecipe,
  type LogName,
  type LogSpan,
  type Manifest,
  manifestFile,
  omitEntry,
  promptsFile,
  recipeFile,
  type SignedHead,
  signatureFile,
  toLogKey,
} from '../../core/audit/index.js';
import { toCanonicalJson } from '../../core/lib/index.js';
import type { Prompt } from '../../core/model/index.js';
import type { Store } from '../db/store.js';
import { appendAudit, createOutsideDraft } from './append.js';
import { type AuditFilter, applyFilter, isUnrestricted, toFilterJson } from './filter.js';
import { type AuditKey, sha256 } from './key.js';
import { LogFaultError } from './log-faults.js';
import { readLog } from './read.js';
import { immediateCadence, listHeads, readPublicKeys, signHeads } from './sign-heads.js';

export interface AuditExportOptions {
  /** Requires a namespace. The caller checks permissions. */
  readonly filter: AuditFilter & { readonly namespace: string };
  readonly format: string;
  readonly who: Actor;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Longhand's version. */
  readonly longhand: string;
  /** Null for an unsigned export. */
  readonly key: AuditKey | null;
  /** Reads the prompts; null for an export without prompts. */
  readonly prompts: ReadPrompts | null;
}

/** Reads the prompts of a chain's model calls, in order. */
export type ReadPrompts = (chain: ExportedChain) => AsyncIterable<Prompt>;

/** A chain with model calls in the export. */
export interface ExportedChain {
  readonly namespace: string;
  readonly chainId: string;
}

/** The part of a log that is exported. */
export interface ExportedLog extends LogName {
  readonly log: string;
  readonly from: number;
  readonly to: number;
  readonly heads: readonly SignedHead[];
  readonly isWanted: (entry: AuditEntry) => boolean;
}

/** Records the export, signs the heads, and returns the spans to read; empty when no entry matches. */
export async function prepareExport(store: Store, options: AuditExportOptions): Promise<readonly ExportedLog[]> {
  const { filter, format, who, at, key } = options;
  const entries = await selectEntries(store, filter);
  if (entries.length === 0) return [];
  const what = { format, filters: toExportFilters(options) };
  const chainId = filter.chainId ?? filter.root ?? null;
  await store.write((tx) =>
    appendAudit(
      tx,
      entries.map(({ namespace, tenant }) =>
        createOutsideDraft({ namespace, tenant, who, at, chainId }, { type: 'exported', what }),
      ),
    ),
  );
  if (key !== null) {
    const { faults } = await signHeads(store, key, at, immediateCadence);
    const rejection = faults.find((fault) => entries.some((log) => toLogKey(log) === toLogKey(fault)));
    if (rejection !== undefined) throw new LogFaultError(rejection);
  }
  const all = isUnrestricted(filter);
  return await Promise.all(entries.map((selection) => resolveSpan(store, selection, all)));
}

function toExportFilters({ filter, prompts }: AuditExportOptions): Manifest['filters'] {
  return { ...toFilterJson(filter), ...(prompts === null ? {} : { prompts: true }) };
}

interface EntrySelection extends LogName {
  readonly log: string;
  /** Numbers of the matching entries, ascending. */
  readonly seqs: readonly number[];
}

async function selectEntries({ db }: Store, filter: AuditFilter): Promise<readonly EntrySelection[]> {
  const rows = await applyFilter(
    db.selectFrom('audit_entries').select(['audit_entries.log', 'audit_entries.namespace', 'audit_entries.tenant']),
    filter,
  )
    .select(['audit_entries.seq', 'audit_entries.chain_id'])
    .orderBy('audit_entries.log')
    .orderBy('audit_entries.seq')
    .execute();
  const logs = new Map<string, EntrySelection & { seqs: number[]; chains: Set<string> }>();
  for (const { log, namespace, tenant, seq, chain_id: chainId } of rows) {
    const known = logs.get(log) ?? { log, namespace, tenant, seqs: [], chains: new Set<string>() };
    known.seqs.push(seq);
    if (chainId !== null) known.chains.add(chainId);
    logs.set(log, known);
  }
  return await Promise.all(
    [...logs.values()].map(async ({ chains, ...selection }) => {
      const erasures = await listErasures(db, selection.log, chains);
      const seqs = [...new Set([...selection.seqs, ...erasures])].toSorted((a, b) => a - b);
      return { ...selection, seqs };
    }),
  );
}

/** Invariant 3. */
async function listErasures(db: Store['db'], log: string, chains: ReadonlySet<string>): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('audit_entries')
    .select(['seq', 'entry'])
    .where('log', '=', log)
    .where('type', '=', 'erased')
    .execute();
  return rows.flatMap(({ seq, entry }) => {
    const erased = JSON.parse(entry) as AuditEntry;
    return erased.type === 'erased' && erased.what.chains.some((chain) => chains.has(chain)) ? [seq] : [];
  });
}

/**
 * Invariant 2.
 *
 * @param all whether the whole log is exported, including the entry that records this export. A narrower filter ends the
 *   span at the first head after its last match
 */
async function resolveSpan(
  { db }: Store,
  { log, namespace, tenant, seqs }: EntrySelection,
  all: boolean,
): Promise<ExportedLog> {
  const { seq: end } = await db.selectFrom('audit_logs').select('seq').where('log', '=', log).executeTakeFirstOrThrow();
  const heads = await listHeads(db, log);
  const last = seqs.at(-1) ?? 0;
  const vouching = heads.find(({ seq }) => seq >= last)?.seq ?? end;
  const to = all ? (heads.at(-1)?.seq ?? end) : vouching;
  const from = seqs[0] ?? 1;
  const matches = new Set(seqs);
  return {
    ...{ log, namespace, tenant, from, to },
    heads: heads.filter(({ seq }) => seq >= from && seq <= to).map(({ signed, signature }) => ({ signed, signature })),
    isWanted: ({ seq }) => all || matches.has(seq),
  };
}

/** Reads only the wanted entries, log by log: for formats without proof. */
export async function* readExportedEntries(
  store: Store,
  logs: readonly ExportedLog[],
): AsyncGenerator<readonly EntryWithContents[]> {
  for (const { log, from, to, isWanted } of logs) {
    for await (const page of readLog(store.db, log, { from, to })) yield page.filter(({ entry }) => isWanted(entry));
  }
}

/** Appends text to a file of the export. */
export type WriteFile = (file: string, text: string) => void;

/** Writes the format that can be verified. */
export async function writeExport(
  store: Store,
  logs: readonly ExportedLog[],
  options: AuditExportOptions,
  write: WriteFile,
): Promise<Manifest> {
  const files = createDigestingWriter(write);
  const spans: LogSpan[] = [];
  files.write(entriesFile, '');
  files.write(contentsFile, '');
  const { prompts } = options;
  if (prompts !== null) files.write(promptsFile, '');
  for (const log of logs) {
    const calls: AuditedCalls = new Map();
    const span = await writeLog(store, log, calls, files.write);
    if (span !== null) spans.push(span);
    if (prompts !== null) await writePrompts(log, calls, prompts, files.write);
  }
  files.write(recipeFile, formatRecipe(options.key !== null, prompts !== null));
  const manifest: Manifest = {
    format: auditFormat,
    version: auditVersion,
    longhand: options.longhand,
    exportedAt: new Date(options.at).toISOString(),
    exportedBy: options.who.by,
    filters: toExportFilters(options),
    logs: spans,
    files: files.digests(),
    heads: logs.flatMap(({ heads }) => heads),
    keys: await readPublicKeys(store.db),
    key: options.key?.id ?? null,
  };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  write(manifestFile, text);
  if (options.key !== null) write(signatureFile, `${options.key.sign(text)}\n`);
  return manifest;
}

/** The numbers of the entries of model calls, by chain and call. */
type AuditedCalls = Map<string, Map<string, number>>;

function addCall(calls: AuditedCalls, entry: AuditEntry): void {
  if ((entry.type !== 'model_called' && entry.type !== 'model_failed') || entry.chainId === null) return;
  const known = calls.get(entry.chainId) ?? new Map<string, number>();
  calls.set(entry.chainId, known.set(entry.what.call, entry.seq));
}

/** Writes chain by chain: each prompt is as long as its chain. A call that no longer has a prompt has null. */
async function writePrompts(
  { namespace, tenant }: ExportedLog,
  chains: AuditedCalls,
  read: ReadPrompts,
  write: WriteFile,
): Promise<void> {
  for (const [chainId, calls] of chains) {
    const missing = new Map(calls);
    const writeLine = (call: string, seq: number, prompt: Prompt | null) =>
      write(promptsFile, `${toCanonicalJson({ namespace, tenant, seq, chainId, call, prompt })}\n`);
    for await (const prompt of read({ namespace, chainId })) {
      const seq = missing.get(prompt.call);
      if (seq !== undefined) writeLine(prompt.call, seq, prompt);
      missing.delete(prompt.call);
    }
    for (const [call, seq] of missing) writeLine(call, seq, null);
  }
}

async function writeLog(
  { db }: Store,
  span: ExportedLog,
  calls: AuditedCalls,
  write: WriteFile,
): Promise<LogSpan | null> {
  const { log, namespace, tenant, from, to, isWanted } = span;
  let first: LogSpan['first'] | null = null;
  let last: LogSpan['last'] | null = null;
  let entries = 0;
  let leftOut = 0;
  for await (const page of readLog(db, log, { from, to })) {
    const lines: string[] = [];
    const contentLines: string[] = [];
    for (const { entry, contents } of page) {
      const { seq, hash } = entry;
      first ??= { seq, hash };
      last = { seq, hash };
      if (!isWanted(entry)) {
        leftOut += 1;
        lines.push(formatExportLine(omitEntry(entry, sha256)));
        continue;
      }
      entries += 1;
      lines.push(formatExportLine(entry));
      addCall(calls, entry);
      for (const { part, salt, content } of contents) {
        contentLines.push(formatExportLine({ namespace, tenant, seq, part, salt, content }));
      }
    }
    write(entriesFile, lines.join(''));
    write(contentsFile, contentLines.join(''));
  }
  return first === null || last === null ? null : { namespace, tenant, first, last, entries, leftOut };
}

function createDigestingWriter(write: WriteFile) {
  const files = new Map<string, { readonly hash: ReturnType<typeof createHash>; bytes: number; lines: number }>();
  return {
    write: (file: string, text: string) => {
      const known = files.get(file) ?? { hash: createHash('sha256'), bytes: 0, lines: 0 };
      known.hash.update(text);
      known.bytes += Buffer.byteLength(text);
      known.lines += text.split('\n').length - 1;
      files.set(file, known);
      write(file, text);
    },
    digests: (): Readonly<Record<string, FileDigest>> =>
      Object.fromEntries(
        [...files].map(([file, { hash, bytes, lines }]) => [file, { sha256: hash.digest('hex'), bytes, lines }]),
      ),
  };
}
