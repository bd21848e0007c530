/** `longhand audit query`: what is in the audit log, the newest first. */

import { formatTime } from '../../core/lib/display.js';
import { type AuditPage, queryAudit } from '../../store/audit/read.js';
import { noteReading } from '../access/note-view.js';
import { withStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { wholeNumber } from '../flags/values.js';
import { colorsFor } from '../terminal/colors.js';
import { type Cell, table } from '../terminal/table.js';
import { jsonLine, type Terminal } from '../terminal/terminal.js';
import { contentsText, entryText } from './entry-text.js';
import { type FilterFlags, filterOf } from './filter-flags.js';

export interface QueryFlags extends FilterFlags {
  readonly limit: string;
  readonly cursor?: string;
  readonly contents?: boolean;
  readonly by?: string;
  readonly json?: boolean;
}

export async function query(terminal: Terminal, flags: QueryFlags): Promise<number> {
  const filter = filterOf(flags, Date.now());
  const limit = wholeNumber('--limit', flags.limit);
  return withStore(async (store) => {
    const page = await read();
    if (flags.contents) await noteReading(store, page.entries, 'audit query --contents', flags.by);
    write(terminal, page, flags);
    return 0;

    async function read(): Promise<AuditPage> {
      try {
        return await queryAudit(store.db, filter, { limit, cursor: flags.cursor });
      } catch (error) {
        if (error instanceof RangeError) throw new UsageError(`--cursor cannot be read. ${error.message}`);
        throw error;
      }
    }
  });
}

/** Contents are what most may not read: they are shown to who asks for them, and that is told to the log. */
function write(terminal: Terminal, { entries, cursor }: AuditPage, { json, contents: wanted }: QueryFlags): void {
  if (json) {
    for (const { entry, contents } of entries) {
      const held = Object.fromEntries(contents.map(({ part, content }) => [part, content]));
      terminal.write(jsonLine(wanted ? { ...entry, held } : entry));
    }
    if (cursor !== null) terminal.say(`There are more: --cursor ${cursor}`);
    return;
  }
  if (entries.length === 0) {
    terminal.say('No entry of the audit log fits.');
    return;
  }
  const c = colorsFor(terminal);
  const rows = entries.map(({ entry }): readonly Cell[] => [
    { text: String(entry.seq) },
    { text: formatTime(entry.at), paint: c.dim },
    { text: entry.type.replaceAll('_', ' '), paint: c.bold },
    { text: entry.tenant ?? '' },
    { text: entry.who?.by ?? '' },
    { text: entry.chainId ?? '' },
    { text: entryText(entry) },
  ]);
  const heads = [
    { head: 'ENTRY', align: 'right' as const },
    { head: 'TIME' },
    { head: 'WHAT' },
    { head: 'TENANT', most: 16 },
    { head: 'BY', most: 16 },
    { head: 'CHAIN', most: 28 },
    { head: '' },
  ];
  const [head = '', ...lines] = table(heads, rows, { width: terminal.width, paintHead: c.dim }).trimEnd().split('\n');
  const shown = lines.flatMap((line, at) => {
    const held = entries[at];
    return [line, ...(wanted && held !== undefined ? contentsText(held).map((text) => `       ${text}`) : [])];
  });
  terminal.write(`${[head, ...shown].join('\n')}\n`);
  if (cursor !== null) terminal.say(`There are more: --cursor ${cursor}`);
}
