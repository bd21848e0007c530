/** `longhand chain cost`: usage by step and model, and the budget that is left. Shows no content of the chain. */

import { readWithSubChains } from '../../client/index.js';
import { formatProvider, listRouteTexts } from '../../core/engine/index.js';
import { formatCount, formatTotalUsd, formatUsd } from '../../core/lib/index.js';
import { countTotalTokens, type Usage } from '../../core/model/index.js';
import { type ChainCosts, type CostLine, computeCosts } from '../../core/record/index.js';
import { toReasoning } from '../../core/view/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain, isFile } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { getColors } from '../terminal/colors.js';
import { type Column, formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { type CostBranch, formatBranches, listCostBranches, listVisibleChainIds } from './cost-branches.js';

export async function showCost(terminal: Terminal, reference: string, flags: ViewFlags): Promise<number> {
  const chainViewer = await createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(reference, connect);
    const costs = computeCosts(recorded.chain);
    // A file holds one chain: it knows the usage of its sub-chains, but not of the sub-chains below them.
    const tree = isFile(reference)
      ? toReasoning(recorded)
      : await readWithSubChains((await connect()).client, recorded, Number.POSITIVE_INFINITY);
    const branches = listCostBranches(tree, new Set(listVisibleChainIds(chainViewer.viewReasoning(tree))));
    const all: TreeCosts = branches.length === 0 ? costs : { ...costs, branches };
    terminal.write(flags.json ? formatJson(all) : formatCosts(all, terminal));
    return 0;
  });
}

interface TreeCosts extends ChainCosts {
  /** Absent without sub-chains. */
  readonly branches?: readonly CostBranch[];
}

/** @param isCached whether a call read or wrote the provider's cache */
function createColumns(isCached: boolean): readonly Column[] {
  const numbers = ['in', 'out', ...(isCached ? ['read', 'written'] : []), 'tokens', 'cost', 'share'];
  return [
    { head: 'step' },
    { head: 'model', cutTo: 12 },
    ...numbers.map((head) => ({ head, align: 'right' }) as const),
  ];
}

function formatCosts({ lines, total, left, branches = [] }: TreeCosts, terminal: Terminal): string {
  const c = getColors(terminal);
  const own = { chains: 1, ...total };
  const tree = branches.length === 0 ? '' : `\n${formatBranches(branches, own, terminal)}`;
  const isCached = total.usage.cacheRead + total.usage.cacheWrite > 0;
  const rows = lines.map(({ step, model, usage, unreported, costUsd, share }) => [
    { text: step === null ? 'other' : String(step) },
    { text: model, paint: c.dim },
    ...toUsageCells(usage, unreported, isCached),
    { text: formatCount(countTotalTokens(usage) + unreported) },
    { text: formatUsd(costUsd) },
    { text: `${Math.round(share * 100)} %` },
  ]);
  const unreported = lines.reduce((sum, line) => sum + line.unreported, 0);
  const totals = [
    { text: 'total', paint: c.bold },
    { text: '' },
    ...toUsageCells(total.usage, unreported, isCached).map((cell) => ({ ...cell, paint: c.bold })),
    { text: formatCount(total.tokens), paint: c.bold },
    { text: formatUsd(total.costUsd), paint: c.bold },
    { text: '' },
  ];
  const table = formatTable(createColumns(isCached), [...rows, totals], terminal);
  const notes = [...formatNotes(lines, isCached), ...formatUnpriced(total), formatBudgetLeft(left)];
  return `${table}${tree}\n${notes.map((line) => c.dim(line)).join('\n')}\n`;
}

function toUsageCells({ input, output, cacheRead, cacheWrite }: Usage, unreported: number, isCached: boolean) {
  const estimated = unreported > 0 ? ` +${formatCount(unreported)}` : '';
  return [
    { text: formatCount(input) },
    { text: `${formatCount(output)}${estimated}` },
    ...(isCached ? [cacheRead, cacheWrite].map((tokens) => ({ text: formatCount(tokens) })) : []),
  ];
}

function formatNotes(lines: readonly CostLine[], isCached: boolean): readonly string[] {
  const charged = lines.some(({ unreported }) => unreported > 0);
  return [
    ...(isCached ? ["read, written: tokens read from the provider's cache, and written to it."] : []),
    ...lines.flatMap(formatRouteNote),
    ...(lines.some(({ step }) => step === null) ? ['other: the summary, and attempts that resulted in no step.'] : []),
    ...(charged ? ['+: reservations charged for calls that reported no plausible usage.'] : []),
  ];
}

function formatUnpriced({ costUsd, unpricedTokens = 0 }: ChainCosts['total']): readonly string[] {
  if (costUsd === null || unpricedTokens === 0) return [];
  return [`total: ${formatTotalUsd(costUsd, unpricedTokens)}.`];
}

/** Notes why a step had another model than the agent's own. */
function formatRouteNote(line: CostLine): readonly string[] {
  const { step, model, route } = line;
  const texts = route === undefined ? [] : listRouteTexts(route);
  return texts.length === 0 ? [] : [`step ${step}: ${model} from ${formatProvider(line)}, ${texts.join(', ')}.`];
}

function formatBudgetLeft({ tokens, costUsd }: ChainCosts['left']): string {
  const parts = [
    ...(tokens === null ? [] : [`${formatCount(tokens)} tokens`]),
    ...(costUsd === null ? [] : [formatUsd(costUsd)]),
  ];
  return parts.length === 0 ? 'No budget is set.' : `Budget left: ${parts.join(' and ')}.`;
}
