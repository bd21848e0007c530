/** `longhand chain export`: writes a chain as facts, as its Temporal history, or as a report to read. */

import type { RecordedHistory } from '../../client/index.js';
import { toChainFile } from '../../client/index.js';
import { LonghandError, toPlainJson, toPlainText } from '../../core/lib/index.js';
import { formatDivergence, sealChainFile, verifyFile } from '../../core/record/index.js';
import { addArgumentSources, formatMarkdownReport, toReasoning } from '../../core/view/index.js';
import { formatHistoryJson } from '../../history/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { writeOutput } from '../terminal/write-out.js';

export interface ChainExportFlags extends ViewFlags {
  readonly format: 'json' | 'markdown' | 'history';
  readonly out?: string;
  /** The same as the format. */
  readonly json?: boolean;
}

export async function exportChain(terminal: Terminal, reference: string, flags: ChainExportFlags): Promise<number> {
  if (
    flags.format !== 'markdown' &&
    (flags.as ?? flags.visibility ?? flags.expand ?? flags.user ?? flags.tenant) !== undefined
  ) {
    throw new UsageError(
      `--user, --tenant, --as, --visibility and --expand cannot be combined with --format ${flags.format}, which is complete. Use --format markdown.`,
    );
  }
  if (flags.json && flags.format !== 'json') {
    throw new UsageError(`--json and --format ${flags.format} cannot be combined.`);
  }
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(reference, connect);
    const role = flags.format === 'markdown' ? flags.as : 'export';
    await recordView({ role, command: `chain export --format ${flags.format}`, named: reference }, [
      toViewedChain(recorded),
    ]);
    writeOutput(terminal, await formatExport(recorded, flags), flags.out);
    return 0;
  });
}

async function formatExport(recorded: RecordedHistory, flags: ChainExportFlags): Promise<string> {
  switch (flags.format) {
    case 'json': {
      const file = toChainFile(recorded);
      const { divergence } = verifyFile(file);
      if (divergence !== null) {
        throw new LonghandError(
          'invalid_chain_file',
          `The chain is not exported: its file would not verify. ${formatDivergence(divergence)}.`,
        );
      }
      return formatJson(sealChainFile(file), 2);
    }
    case 'history':
      if (recorded.events !== null) return `${toPlainJson(formatHistoryJson(recorded.events))}\n`;
      throw new UsageError('A file and the archive hold facts, not the history. Export the history from the server.');
    case 'markdown':
      return toPlainText(
        formatMarkdownReport((await createChainViewer(flags)).viewReasoning(addArgumentSources(toReasoning(recorded)))),
      );
  }
}
