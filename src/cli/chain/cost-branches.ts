/** The usage of each sub-chain in a tree: its own, and with all sub-chains below it. */

import {
  formatChainSpending,
  formatSubChainState,
  type Reasoning,
  type ReasoningView,
  type Spending,
  type SubChain,
  sumSpending,
} from '../../core/view/index.js';
import { getColors } from '../terminal/colors.js';
import { formatTable } from '../terminal/table.js';
import type { Terminal } from '../terminal/terminal.js';

export interface CostBranch {
  readonly chainId: string;
  readonly agent: string;
  readonly state: SubChain['state'];
  readonly outcome: SubChain['outcome'];
  /** 1 for sub-chains that the chain itself started. */
  readonly depth: number;
  readonly own: Spending | null;
  readonly total: Spending | null;
}

/**
 * Lists the sub-chains in tree order, each before its own sub-chains. Queued sub-chains have no usage and are omitted.
 *
 * @param visibleIds ids of the sub-chains that the viewer may see; of the others only the cost is shown (L8)
 */
export function listCostBranches(
  { children }: Reasoning,
  visibleIds: ReadonlySet<string>,
  depth = 1,
): readonly CostBranch[] {
  return Object.values(children).flatMap((chains) =>
    chains.flatMap(({ chainId, agent, state, outcome, own, total, chain }) =>
      state === 'queued'
        ? []
        : [
            { chainId, agent: visibleIds.has(chainId) ? agent : '', state, outcome, depth, own, total },
            ...(chain === null ? [] : listCostBranches(chain, visibleIds, depth + 1)),
          ],
    ),
  );
}

/** Lists the ids of the sub-chains in a view, without those below a sub-chain that is summarized. */
export function listVisibleChainIds({ children }: Pick<ReasoningView, 'children'>): readonly string[] {
  return Object.values(children).flatMap((subChains) =>
    subChains.flatMap((child) => [child.chainId, ...(child.level === 'full' ? listVisibleChainIds(child.chain) : [])]),
  );
}

const branchColumns = [
  { head: 'sub-chain', isId: true },
  { head: 'agent', cutTo: 18 },
  { head: 'outcome' },
  { head: 'itself', align: 'right' },
  { head: 'with sub-chains', align: 'right' },
] as const;

export function formatBranches(
  branches: readonly CostBranch[],
  root: Spending,
  terminal: Pick<Terminal, 'color' | 'tableWidth'>,
): string {
  const c = getColors(terminal);
  const rows = branches.map((branch) => [
    { text: branch.chainId },
    { text: `${'  '.repeat(branch.depth - 1)}${branch.agent}` },
    { text: formatSubChainState(branch), paint: c.dim },
    { text: formatCharge(branch.own) },
    { text: formatCharge(branch.total) },
  ]);
  const all = sumSpending([root, ...branches.flatMap(({ depth, total }) => (depth === 1 ? (total ?? []) : []))]);
  const totals = ['total', '', '', formatCharge(root), formatCharge(all)].map((text) => ({ text, paint: c.bold }));
  return formatTable(branchColumns, [...rows, totals], terminal);
}

function formatCharge(spending: Spending | null): string {
  return spending === null ? '–' : formatChainSpending(spending);
}
