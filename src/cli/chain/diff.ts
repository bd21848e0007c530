/** `longhand chain diff`: finds the first difference of two chains and shows both side by side from there. */

import { stripVTControlCharacters } from 'node:util';
import { type Json, shorten, toOneLine, toValueText } from '../../core/lib/index.js';
import { formatStepTrees, type ReasoningView } from '../../core/view/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { formatTreeRows } from '../print/terminal-lines.js';
import { type Colors, cleanText, getColors } from '../terminal/colors.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { measureColumns, splitByWidth } from '../terminal/text.js';
import { type ChainComparison, type ChainDifference, compareChains } from './compare-chains.js';

export interface DiffFlags extends ViewFlags {
  readonly exitCode?: boolean;
}

/** Number of steps shown side by side. */
const maxShownSteps = 3;

/** Resolves to 0 even if the chains differ, like `git diff`, unless `--exit-code` is given. */
export async function diffChains(
  terminal: Terminal,
  references: readonly [a: string, b: string],
  flags: DiffFlags,
): Promise<number> {
  const chainViewer = await createChainViewer(flags);
  return withServer(async (connect) => {
    const look = async (one: string) => {
      const recorded = await findRecordedChain(one, connect);
      await recordView({ role: chainViewer.role, command: 'chain diff', named: one }, [toViewedChain(recorded)]);
      return chainViewer.viewRecorded(recorded);
    };
    const [a, b] = [await look(references[0]), await look(references[1])];
    const compared = compareChains(a, b);
    terminal.write(flags.json ? formatJson(compared) : formatComparison(compared, [a, b], terminal));
    return flags.exitCode && !compared.equal ? 1 : 0;
  });
}

type ChainPair = readonly [a: ReasoningView, b: ReasoningView];

function formatComparison(
  { firstDifference, stepsA, stepsB }: ChainComparison,
  pair: ChainPair,
  terminal: Terminal,
): string {
  const c = getColors(terminal);
  if (firstDifference === null) {
    return `No difference: ${stepsA} ${stepsA === 1 ? 'step' : 'steps'}, ${pair[0].outcome ?? 'still running'}.\n`;
  }
  const half = Math.max(1, Math.floor((terminal.width - 3) / 2));
  const [left, right] = pair.map((chain) => formatSide(chain, firstDifference.step, half, c)) as [SideLines, SideLines];
  const rows = joinColumns(left, right, half).map(([one, other]) => `${one} ${c.dim('│')} ${other}`.trimEnd());
  const same = firstDifference.step - (firstDifference.what === 'end' && stepsA === stepsB ? 0 : 1);
  const head = [
    c.bold(formatDifference(firstDifference, [stepsA, stepsB])),
    ...(same > 0
      ? [c.dim(`The ${same === 1 ? 'step' : `${same} steps`} before ${same === 1 ? 'is' : 'are'} the same.`)]
      : []),
    '',
  ];
  return `${[...head, ...rows].join('\n')}\n`;
}

type SideLines = readonly string[];

function formatSide(chain: ReasoningView, from: number, width: number, c: Colors): SideLines {
  const steps = chain.steps.filter(({ number }) => number >= from && number < from + maxShownSteps);
  const last = Math.max(0, ...chain.steps.map(({ number }) => number));
  const more = last - (from + maxShownSteps - 1);
  return [
    c.bold(shorten(toOneLine(chain.chainId), width)),
    c.dim(shorten(`${last} ${last === 1 ? 'step' : 'steps'}, ${chain.outcome ?? chain.state}`, width)),
    ...formatTreeRows(formatStepTrees(chain, steps), width, c),
    ...(more > 0 ? [c.dim(`… ${more} more`)] : []),
  ];
}

function formatDifference({ step, what, a, b }: ChainDifference, [stepsA, stepsB]: readonly [number, number]): string {
  if (what !== 'end')
    return `The chains differ at step ${step}: the ${what} ${what.endsWith('s') ? 'differ' : 'differs'}.`;
  if (stepsA !== stepsB) return `One chain continues at step ${step}, the other has no more steps.`;
  return `The steps are the same, the outcomes differ: ${formatValue(a)} and ${formatValue(b)}.`;
}

function formatValue(value: Json): string {
  return toOneLine(toValueText(value));
}

/** A row may be wider than its column, such as an id or a deep branch: it continues on the next row, without its colours. */
function joinColumns(left: SideLines, right: SideLines, width: number): readonly (readonly [string, string])[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => at).flatMap((at) => {
    const [ones, others] = [splitRow(left[at] ?? '', width), splitRow(right[at] ?? '', width)];
    return Array.from({ length: Math.max(ones.length, others.length) }, (_, row): readonly [string, string] => [
      padToWidth(ones[row] ?? '', width),
      others[row] ?? '',
    ]);
  });
}

function splitRow(line: string, width: number): readonly string[] {
  const text = stripVTControlCharacters(cleanText(line));
  return measureColumns(text) <= width ? [line] : splitByWidth(text, width);
}

function padToWidth(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - measureColumns(cleanText(line))));
}
