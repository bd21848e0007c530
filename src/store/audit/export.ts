/**
 * Takes a part of the audit log out of its store, with the proof of it.
 *
 * 1. An export is told to the logs that it is taken from, before anything is read; where that fails, there is none.
 * 2. From the first entry that is wanted to a head that vouches for the last, every entry is there: those that are not wanted
 *    by their digests alone, so that nothing can be left out unseen.
 * 3. What says that contents were erased is always wanted, where contents of others are.
 * 4. Read and written piece by piece: a log may be larger than memory.
 */

import { createHash } from 'node:crypto';
import type { Actor, AuditEntry, EntryWithContents } from '../../core/audit/entry.js';
import { type LogName, type SignedHead, toLogKey } from '../../core/audit/head.js';
import { formatExportLine, omitEntry } from '../../core/audit/line.js';
import {
  auditFormat,
  auditVersion,
  contentsFile,
  entriesFile,
  type FileDigest,
  type LogSpan,
  type Manifest,
  manifestFile,
  recipeFile,
  signatureFile,
} from '../../core/audit/manifest.js';
import { formatRecipe } from '../../core/audit/recipe.js';
import type { Store } from '../db/store.js';
import { appendAudit, createOutsideDraft } from './append.js';
import { type AuditFilter, applyFilter, isUnrestricted, toFilterJson } from './filter.js';
import { type AuditKey, sha256 } from './key.js';
import { LogFaultError } from './log-faults.js';
import { readLog } from './read.js';
import { immediateCadence, listHeads, readPublicKeys, signHeads } from './sign-heads.js';

export interface AuditExportOptions {
  /** With its namespace: what people may see of others' is not asked here. */
  readonly filter: AuditFilter & { readonly namespace: string };
  readonly format: string;
  readonly who: Actor;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Longhand's version. */
  readonly longhand: string;
  /** Null: the export is not signed. */
  readonly key: AuditKey | null;
}

/** What an export is of. */
export interface ExportedLog extends LogName {
  readonly log: string;
  readonly from: number;
  readonly to: number;
  readonly heads: readonly SignedHead[];
  readonly isWanted: (entry: AuditEntry) => boolean;
}

/** Tells the logs, signs their heads, and says what is to be read of each. Empty where nothing fits. */
export async function prepareExport(store: Store, options: AuditExportOptions): Promise<readonly ExportedLog[]> {
  const { filter, format, who, at, key } = options;
  const wanted = await selectEntries(store, filter);
  if (wanted.length === 0) return [];
  const what = { format, filters: toFilterJson(filter) };
  await store.write((tx) =>
    appendAudit(
      tx,
      wanted.map(({ namespace, tenant }) =>
        createOutsideDraft({ namespace, tenant, who, at, chainId: filter.chainId ?? null }, { type: 'exported', what }),
      ),
    ),
  );
  if (key !== null) {
    const { faults } = await signHeads(store, key, at, immediateCadence);
    const refusal = faults.find((each) => wanted.some((log) => toLogKey(log) === toLogKey(each)));
    if (refusal !== undefined) throw new LogFaultError(refusal);
  }
  const all = isUnrestricted(filter);
  return await Promise.all(wanted.map((each) => resolveSpan(store, each, all)));
}

interface EntrySelection extends LogName {
  readonly log: string;
  /** Numbers of the entries that fit, ascending. */
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
    [...logs.values()].map(async ({ chains, ...wanted }) => {
      const erasures = await listErasures(db, wanted.log, chains);
      const seqs = [...new Set([...wanted.seqs, ...erasures])].toSorted((a, b) => a - b);
      return { ...wanted, seqs };
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
 * @param all whether the whole log is asked for, and with it the entry that tells of this export. Entries that fit a narrower
 *   filter may be all there are up to the last of them: what is behind that one is not wanted for it
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
  const wanted = new Set(seqs);
  return {
    ...{ log, namespace, tenant, from, to },
    heads: heads.filter(({ seq }) => seq >= from && seq <= to).map(({ signed, signature }) => ({ signed, signature })),
    isWanted: ({ seq }) => all || wanted.has(seq),
  };
}

/** What is wanted alone, in the order of the logs: for forms that prove nothing. */
export async function* readExportedEntries(
  store: Store,
  logs: readonly ExportedLog[],
): AsyncGenerator<readonly EntryWithContents[]> {
  for (const { log, from, to, isWanted } of logs) {
    for await (const page of readLog(store.db, log, { from, to })) yield page.filter(({ entry }) => isWanted(entry));
  }
}

/** Writes the files of an export, each from its beginning to its end. */
export type WriteFile = (file: string, text: string) => void;

/** The form that can be proven. */
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
  for (const log of logs) {
    const span = await writeLog(store, log, files.write);
    if (span !== null) spans.push(span);
  }
  files.write(recipeFile, formatRecipe(options.key !== null));
  const manifest: Manifest = {
    format: auditFormat,
    version: auditVersion,
    longhand: options.longhand,
    exportedAt: new Date(options.at).toISOString(),
    exportedBy: options.who.by,
    filters: toFilterJson(options.filter),
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

async function writeLog({ db }: Store, span: ExportedLog, write: WriteFile): Promise<LogSpan | null> {
  const { log, namespace, tenant, from, to, isWanted } = span;
  let first: LogSpan['first'] | null = null;
  let last: LogSpan['last'] | null = null;
  let entries = 0;
  let leftOut = 0;
  for await (const page of readLog(db, log, { from, to })) {
    const lines: string[] = [];
    const held: string[] = [];
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
      for (const { part, salt, content } of contents) {
        held.push(formatExportLine({ namespace, tenant, seq, part, salt, content }));
      }
    }
    write(entriesFile, lines.join(''));
    write(contentsFile, held.join(''));
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
