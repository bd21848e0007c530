/** `longhand chain cost`: usage by step and model, and the budget that is left. Shows no content of the chain. */

import { type RecordedChain, toReasoning } from '../../client/read/recorded-chain.js';
import { readWithSubChains } from '../../client/read/sub-chains.js';
import { formatCount, formatTotalUsd, formatUsd } from '../../core/lib/display.js';
import type { Usage } from '../../core/model/model.js';
import { type AnsweringModel, type CallRoute, pickAnsweringModel } from '../../core/model/routing.js';
import { addUsage, countTotalTokens, noUsage, roundUsd, toUnpricedTokens } from '../../core/model/usage.js';
import { computeCommittedUse } from '../../core/state/budget-tree.js';
import { formatProvider, listRouteTexts } from '../../core/state/route-text.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain, isFile } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { getColors } from '../terminal/colors.js';
import { type Column, formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { type CostBranch, formatBranches, listCostBranches, listVisibleChainIds } from './cost-branches.js';

export interface CostFlags extends ViewFlags {
  readonly json?: boolean;
}

/** Without a provider for usage outside steps. */
interface CostLine extends Omit<AnsweringModel, 'route'> {
  /** Null for usage outside steps: the summary, failed attempts, paused turns. */
  readonly step: number | null;
  /** Why it was this model. Absent for an agent with one model. */
  readonly route?: Omit<CallRoute, 'reason'>;
  readonly usage: Usage;
  /** Tokens charged beyond the reported usage: a call that reports no usage is charged its reservation. */
  readonly unreported: number;
  readonly costUsd: number | null;
  /** Share of the chain's cost, or of its tokens if the model has no price; 0 to 1. */
  readonly share: number;
}

interface Costs {
  readonly chainId: string;
  readonly lines: readonly CostLine[];
  readonly total: {
    readonly tokens: number;
    readonly costUsd: number | null;
    readonly unpricedTokens?: number;
    readonly usage: Usage;
  };
  /** What the limits leave; null without such a limit. */
  readonly left: { readonly tokens: number | null; readonly costUsd: number | null };
}

export async function showCost(terminal: Terminal, reference: string, flags: CostFlags): Promise<number> {
  const chainViewer = await createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(reference, connect);
    const costs = computeCosts(recorded);
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

interface TreeCosts extends Costs {
  /** Absent without sub-chains. */
  readonly branches?: readonly CostBranch[];
}

export function computeCosts({ chainId, chain }: Pick<RecordedChain, 'chainId' | 'chain'>): Costs {
  const { state } = chain;
  const { charged: spent, usage, agent, origin } = state;
  // Includes the usage of ended sub-chains and the shares of running ones.
  const committed = computeCommittedUse(state);
  // The first steps of a fork were paid for by its origin.
  const steps = chain.steps.filter(({ number }) => number > (origin?.steps ?? 0));
  const share = (tokens: number, costUsd: number | null) => {
    if (spent.usd !== null && spent.usd > 0) return (costUsd ?? 0) / spent.usd;
    return spent.tokens === 0 ? 0 : tokens / spent.tokens;
  };
  const lines = steps.map((costStep): CostLine => {
    const { number: step, usage, charged, costUsd } = costStep;
    const unreported = charged === undefined ? 0 : charged.inputTokens + charged.outputTokens;
    const { route, ...by } = pickAnsweringModel(costStep);
    const called = { ...by, ...(route === undefined ? {} : { route: omitReason(route) }) };
    return { step, ...called, usage, unreported, costUsd, share: share(countTotalTokens(usage) + unreported, costUsd) };
  });
  const inSteps = steps.reduce((sum, step) => addUsage(sum, step.usage), noUsage);
  const outside = subtractUsage(usage, inSteps);
  const unreported = lines.reduce((left, line) => left - line.unreported, spent.tokens - countTotalTokens(usage));
  const restUsd =
    spent.usd === null ? null : roundUsd(spent.usd - steps.reduce((sum, step) => sum + (step.costUsd ?? 0), 0));
  const rest: CostLine = {
    step: null,
    provider: null,
    model: agent === null ? '' : agent.routing === undefined ? agent.model.name : 'several',
    usage: outside,
    unreported,
    costUsd: restUsd,
    share: share(countTotalTokens(outside) + unreported, restUsd),
  };
  const limits = agent?.limits;
  return {
    chainId,
    lines: countTotalTokens(outside) + unreported > 0 ? [...lines, rest] : lines,
    total: { tokens: spent.tokens, costUsd: spent.usd, ...toUnpricedTokens(state), usage },
    left: {
      tokens: limits === undefined ? null : Math.max(0, limits.tokens - committed.tokens),
      costUsd: limits?.costUsd == null ? null : Math.max(0, roundUsd(limits.costUsd - (committed.usd ?? 0))),
    },
  };
}

function subtractUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input - b.input,
    output: a.output - b.output,
    cacheRead: a.cacheRead - b.cacheRead,
    cacheWrite: a.cacheWrite - b.cacheWrite,
    thinking: a.thinking - b.thinking,
  };
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

function formatUnpriced({ costUsd, unpricedTokens = 0 }: Costs['total']): readonly string[] {
  if (costUsd === null || unpricedTokens === 0) return [];
  return [`total: ${formatTotalUsd(costUsd, unpricedTokens)}.`];
}

/** The reason of a policy may quote the task, and costs show no content. */
function omitReason({ reason: _, ...route }: CallRoute): Omit<CallRoute, 'reason'> {
  return route;
}

/** Notes why a step had another model than the agent's own. */
function formatRouteNote(line: CostLine): readonly string[] {
  const { step, model, route } = line;
  const texts = route === undefined ? [] : listRouteTexts(route);
  return texts.length === 0 ? [] : [`step ${step}: ${model} from ${formatProvider(line)}, ${texts.join(', ')}.`];
}

function formatBudgetLeft({ tokens, costUsd }: Costs['left']): string {
  const parts = [
    ...(tokens === null ? [] : [`${formatCount(tokens)} tokens`]),
    ...(costUsd === null ? [] : [formatUsd(costUsd)]),
  ];
  return parts.length === 0 ? 'No budget is set.' : `Budget left: ${parts.join(' and ')}.`;
}
