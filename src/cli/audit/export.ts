/** `longhand audit export`: writes audit entries with their proof, as a table, or as a report to read. */

import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  type EntryWithContents,
  formatAuditReport,
  formatCsvHeader,
  formatCsvRow,
  type LogSpan,
} from '../../core/audit/index.js';
import { formatCount, LonghandError, toErrorMessage, toPlainText } from '../../core/lib/index.js';
import { readPackageVersion } from '../../package/index.js';

import {
  type AuditExportOptions,
  auditKeyVariable,
  type ExportedLog,
  findAuditKey,
  prepareExport,
  readExportedEntries,
  type Store,
  toFilterJson,
  type WriteFile,
  writeExport,
} from '../../store/index.js';
import { getSystemUser, withStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { writeOutput } from '../terminal/write-out.js';
import { createPromptReader } from './export-prompts.js';
import type { AuditFilterFlags } from './filter-flags.js';
import { parseAuditFilter } from './parse-filter.js';

export const auditFormats = ['jsonl', 'csv', 'markdown'] as const;

export interface AuditExportFlags extends AuditFilterFlags {
  readonly format: (typeof auditFormats)[number];
  readonly out?: string;
  readonly by?: string;
  readonly prompts?: boolean;
}

export async function exportAudit(terminal: Terminal, flags: AuditExportFlags): Promise<number> {
  const { format, out } = flags;
  if (format === 'jsonl' && out === undefined) {
    throw new UsageError('Format jsonl writes several files: name a folder with --out.');
  }
  if (flags.prompts && format !== 'jsonl') throw new UsageError('--prompts needs --format jsonl.');
  const at = Date.now();
  const key = findAuditKey(process.env);
  const who = { by: flags.by ?? getSystemUser(), roles: [] };
  const baseOptions = {
    filter: parseAuditFilter(flags, at),
    format,
    who,
    at,
    longhand: readPackageVersion(),
    key,
  };
  return withStore(async (store) => {
    const prompts = flags.prompts ? createPromptReader(store, terminal.report) : null;
    const options: AuditExportOptions = { ...baseOptions, prompts };
    const logs = await prepareExport(store, options);
    if (logs.length === 0) {
      terminal.report('No audit entry matches: nothing was exported.');
      return 0;
    }
    if (key === null) {
      terminal.report(
        `The export is not signed and proves nothing to others. Create a key with \`longhand audit key\` and name it in ${auditKeyVariable}.`,
      );
    }
    if (format === 'jsonl') {
      const manifest = await writeFolder(out ?? '', (write) => writeExport(store, logs, options, write));
      const total = manifest.logs.reduce((sum, { entries }) => sum + entries, 0);
      terminal.report(`${out}: ${formatCount(total)} entries${key === null ? '' : `, signed with key ${key.id}`}`);
      return 0;
    }
    writeOutput(
      terminal,
      format === 'csv' ? await buildCsv(store, logs) : await buildReport(store, logs, options),
      out,
    );
    return 0;
  });
}

async function buildCsv(store: Store, logs: readonly ExportedLog[]): Promise<string> {
  const rows = [formatCsvHeader()];
  for await (const page of readExportedEntries(store, logs)) rows.push(...page.map(formatCsvRow));
  return rows.join('');
}

async function buildReport(store: Store, logs: readonly ExportedLog[], options: AuditExportOptions): Promise<string> {
  const entries: EntryWithContents[] = [];
  for await (const page of readExportedEntries(store, logs)) entries.push(...page);
  const text = formatAuditReport({
    exportedAt: new Date(options.at).toISOString(),
    exportedBy: options.who.by,
    filters: toFilterJson(options.filter),
    logs: logs.flatMap((log) => computeSpans(log, entries)),
    heads: logs.flatMap(({ heads }) => heads),
    key: options.key?.id ?? null,
    entries,
  });
  return toPlainText(text);
}

/** Returns the span that the report covers: from its first entry of the log to its last. */
function computeSpans({ namespace, tenant }: ExportedLog, entries: readonly EntryWithContents[]): readonly LogSpan[] {
  const own = entries.filter(({ entry }) => entry.namespace === namespace && entry.tenant === tenant);
  const [first, last] = [own[0]?.entry, own.at(-1)?.entry];
  if (first === undefined || last === undefined) return [];
  const end = ({ seq, hash }: typeof first) => ({ seq, hash });
  return [{ namespace, tenant, first: end(first), last: end(last), entries: own.length, leftOut: 0 }];
}

/** Writes a folder that only its owner can read, completely or not at all. @throws UsageError when it exists */
async function writeFolder<T>(folder: string, fill: (write: WriteFile) => Promise<T>): Promise<T> {
  const out = resolve(folder);
  if (existsSync(out)) {
    throw new UsageError(`${basename(out)} already exists: an export needs a new folder.`);
  }
  const temporary = join(dirname(out), `.longhand-${randomUUID()}.part`);
  try {
    mkdirSync(temporary, { mode: 0o700 });
    const filled = await fill((file, text) => appendFileSync(join(temporary, file), text, { mode: 0o600 }));
    renameSync(temporary, out);
    return filled;
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    const message = `${folder} was not written: ${toErrorMessage(error)}`;
    throw new LonghandError('file_not_written', message, { cause: error });
  }
}
