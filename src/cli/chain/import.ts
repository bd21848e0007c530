/**
 * `longhand chain import`: verifies a file from elsewhere and reports its content. Nothing is stored: all commands that
 * read a chain read the file itself.
 */

import type { RecordedHistory } from '../../client/index.js';
import { parseRecordedChain, toChainFile } from '../../client/index.js';
import { formatCount, formatPlural, formatTime, toOneLine } from '../../core/lib/index.js';
import { chainFormat, verifyFile } from '../../core/record/index.js';
import { type ChainViewer, createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { getColors } from '../terminal/colors.js';
import { parseFile } from '../terminal/read-text.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

interface ImportResult {
  readonly file: string;
  readonly format: typeof chainFormat | 'history';
  readonly chainId: string;
  readonly agent: string;
  readonly model: string | null;
  readonly runs: number;
  readonly steps: number;
  readonly facts: number;
  /** Null if the chain was still running when the file was written. */
  readonly outcome: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly digest: string;
  /** Number of model calls whose digests agree with the facts before them. Any mismatch rejects the file. */
  readonly provenAt: number;
}

export async function importFile(terminal: Terminal, file: string, flags: ViewFlags): Promise<number> {
  const chainViewer = await createChainViewer(flags);
  const imported = toImportResult(file, await parseFile(file, parseRecordedChain), chainViewer);
  terminal.write(flags.json ? formatJson(imported) : formatImportResult(imported, terminal));
  return 0;
}

/** L8: agent, model and outcome are taken from the view. */
function toImportResult(file: string, recorded: RecordedHistory, chainViewer: ChainViewer): ImportResult {
  const { state } = recorded.chain;
  const { agent, model, outcome } = chainViewer.viewRecorded(recorded);
  const { facts, calls, digest } = verifyFile(toChainFile(recorded));
  return {
    file,
    format: recorded.events === null ? chainFormat : 'history',
    chainId: recorded.chainId,
    agent,
    model: model === '' ? null : model,
    runs: recorded.runs.length,
    steps: state.steps,
    facts,
    outcome,
    startedAt: new Date(state.startedAt).toISOString(),
    digest,
    provenAt: calls,
  };
}

function formatImportResult(imported: ImportResult, terminal: Terminal): string {
  const c = getColors(terminal);
  const { file, chainId, agent, model, steps, facts, outcome, startedAt, digest, provenAt } = imported;
  const what = imported.format === 'history' ? 'a Temporal history' : 'an exported chain';
  const rows: readonly (readonly [string, string])[] = [
    ['chain', toOneLine(chainId)],
    ['agent', toOneLine(model === null ? agent : `${agent} on ${model}`)],
    ['outcome', outcome ?? 'still running'],
    ['started', formatTime(Date.parse(startedAt))],
    ['steps', `${formatCount(steps)}, ${formatCount(facts)} facts`],
    ['digest', digest],
    ['verified', `at ${formatPlural(provenAt, 'model call')} and at the end`],
  ];
  return [
    `${c.green('✓')} ${toOneLine(file)} is ${what}, complete and unaltered`,
    ...rows.map(([name, value]) => `  ${c.dim(name.padEnd(8))} ${value}`),
    c.dim(`Nothing was stored. Pass the file to any chain command: longhand chain show ${toOneLine(file)}`),
    '',
  ].join('\n');
}
