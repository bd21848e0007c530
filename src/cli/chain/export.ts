/** `longhand chain export`: a chain taken away, as facts, as the history that it is, or as a report to read. */

import { chainFileOf, type Recorded } from '../../client/read/recorded.js';
import { plain, plainJson } from '../../core/lib/plain.js';
import { markdownOf } from '../../core/print/report.js';
import { seal } from '../../core/record/chain-file.js';
import { partingText, verifyFile } from '../../core/record/verify-file.js';
import { historyToJson } from '../../history/history-json.js';
import { findRecorded } from '../access/find.js';
import { noteView, viewedOf } from '../access/note-view.js';
import { withServer } from '../access/open.js';
import { type ViewFlags, viewing } from '../access/viewed.js';
import { UsageError } from '../flags/usage-error.js';
import { jsonLine, type Terminal } from '../terminal/terminal.js';
import { writeOut } from '../terminal/write-out.js';

export interface ExportFlags extends ViewFlags {
  readonly format: 'json' | 'markdown' | 'history';
  readonly out?: string;
  /** The same as the format. */
  readonly json?: boolean;
}

export async function exportChain(terminal: Terminal, named: string, flags: ExportFlags): Promise<number> {
  if (flags.format !== 'markdown' && (flags.as ?? flags.visibility ?? flags.expand) !== undefined) {
    throw new UsageError(
      `A file of format ${flags.format} is whole. --as, --visibility and --expand go with markdown.`,
    );
  }
  if (flags.json && flags.format !== 'json') {
    throw new UsageError(`--json and --format ${flags.format} exclude one another.`);
  }
  return withServer(async (connect) => {
    const recorded = await findRecorded(named, connect);
    const role = flags.format === 'markdown' ? flags.as : 'whole';
    await noteView({ role, command: `chain export --format ${flags.format}`, named }, [viewedOf(recorded)]);
    writeOut(terminal, textOf(recorded, flags), flags.out);
    return 0;
  });
}

function textOf(recorded: Recorded, flags: ExportFlags): string {
  switch (flags.format) {
    case 'json': {
      const file = chainFileOf(recorded);
      const { parting } = verifyFile(file);
      if (parting !== null) throw new Error(`It is not exported, for it would hold no proof. ${partingText(parting)}.`);
      return jsonLine(seal(file), 2);
    }
    case 'history':
      if (recorded.events !== null) return `${plainJson(historyToJson(recorded.events))}\n`;
      throw new UsageError(
        'A file or an archive holds the facts and not the history. Export the history from the server.',
      );
    case 'markdown':
      return plain(markdownOf(viewing(flags).recorded(recorded)));
  }
}
