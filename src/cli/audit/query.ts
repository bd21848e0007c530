/** `longhand audit query`: prints audit entries, the newest first. */

import { formatTime, isLonghandError } from '../../core/lib/index.js';
import { type AuditPage, queryAudit, recordContentsRead } from '../../store/index.js';
import { getSystemUser, withStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { parseWholeNumber } from '../flags/values.js';
import { getColors } from '../terminal/colors.js';
import { type Cell, formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import type { AuditFilterFlags } from './filter-flags.js';
import { formatContents, formatEntry } from './format-entry.js';
import { parseAuditFilter } from './parse-filter.js';

export interface QueryFlags extends AuditFilterFlags {
  readonly limit: string;
  readonly cursor?: string;
  readonly contents?: boolean;
  readonly by?: string;
  readonly json?: boolean;
}

export async function queryAuditLog(terminal: Terminal, flags: QueryFlags): Promise<number> {
  const filter = parseAuditFilter(flags, Date.now());
  const limit = parseWholeNumber('--limit', flags.limit);
  return withStore(async (store) => {
    const page = await read();
    if (flags.contents) {
      const who = { by: flags.by ?? getSystemUser(), roles: [] };
      await recordContentsRead(store, page.entries, { who, command: 'audit query --contents' });
    }
    printPage(terminal, page, flags);
    return 0;

    async function read(): Promise<AuditPage> {
      try {
        return await queryAudit(store.db, filter, { limit, cursor: flags.cursor });
      } catch (error) {
        if (isLonghandError(error) && error.code === 'invalid_cursor') {
          throw new UsageError(`Invalid --cursor ${flags.cursor}. Use the cursor that an earlier list printed.`);
        }
        throw error;
      }
    }
  });
}

/** Prints a page. Contents, which few viewers may read, are printed only on request, after the view was recorded. */
function printPage(
  terminal: Terminal,
  { entries, cursor }: AuditPage,
  { json, contents: withContents }: QueryFlags,
): void {
  if (json) {
    for (const { entry, contents } of entries) {
      const contentByPart = Object.fromEntries(contents.map(({ part, content }) => [part, content]));
      terminal.write(formatJson(withContents ? { ...entry, held: contentByPart } : entry));
    }
    if (cursor !== null) terminal.report(`There are more: --cursor ${cursor}`);
    return;
  }
  if (entries.length === 0) {
    terminal.report('No audit entry matches.');
    return;
  }
  const c = getColors(terminal);
  const rows = entries.map(({ entry }): readonly Cell[] => [
    { text: String(entry.seq) },
    { text: formatTime(entry.at), paint: c.dim },
    { text: entry.type.replaceAll('_', ' '), paint: c.bold },
    { text: entry.tenant ?? '' },
    { text: entry.who?.by ?? '' },
    { text: entry.chainId ?? '' },
    { text: formatEntry(entry) },
  ]);
  const heads = [
    { head: 'entry', align: 'right' as const },
    { head: 'time' },
    { head: 'what' },
    { head: 'tenant', cutTo: 12 },
    { head: 'by', cutTo: 12 },
    { head: 'chain', isId: true },
    { head: 'details', cutTo: 24 },
  ];
  const listContents = (row: number) => {
    const entry = entries[row];
    return withContents && entry !== undefined ? formatContents(entry).map((text) => `       ${text}`) : [];
  };
  terminal.write(formatTable(heads, rows, terminal, listContents));
  if (cursor !== null) terminal.report(`There are more: --cursor ${cursor}`);
}
