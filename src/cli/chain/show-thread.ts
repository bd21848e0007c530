/** `longhand chain show --thread`: shows all chains of a thread as one conversation. */

import { createThreadSource, readThread } from '../../client/index.js';
import { formatCount, formatUsd, toOneLine } from '../../core/lib/index.js';
import { findThreadId, getThreadNumber } from '../../core/model/index.js';
import { countSteps, type ReasoningView, sumSpending, toReasoning } from '../../core/view/index.js';
import { createChainViewer } from '../access/chain-viewer.js';
import { isFile, resolveThreadChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { parseStepFilter } from '../flags/step-filter.js';
import { UsageError } from '../flags/usage-error.js';
import { formatChainTree } from '../print/tree.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import type { ShowFlags } from './show.js';

/** Flags about the steps or sub-chains of one chain. */
const singleChainFlags = ['step', 'from', 'to', 'depth', 'tree', 'saveFiles', 'prompt', 'context'] as const;

export interface ThreadFlags extends ShowFlags {
  readonly prompt?: string | boolean;
  readonly context?: boolean;
}

export async function showThread(terminal: Terminal, reference: string, flags: ThreadFlags): Promise<number> {
  const other = singleChainFlags.find((flag) => flags[flag] !== undefined);
  if (other !== undefined)
    throw new UsageError(`--thread shows several chains and cannot be combined with --${toFlag(other)}.`);
  if (isFile(reference)) throw new UsageError(`A file holds one chain. Name a chain by its id to see its thread.`);
  const filter = parseStepFilter(flags, Date.now());
  const chainViewer = await createChainViewer(flags);
  return withServer(async (connect) => {
    const longhand = await connect();
    const source = createThreadSource(longhand.client, longhand.archive);
    const chains = await readThread(source, await resolveThreadChain(longhand, reference));
    await recordView({ role: chainViewer.role, command: 'chain show', named: reference }, chains.map(toViewedChain));
    const views = chains.map((recorded) => chainViewer.viewReasoning(toReasoning(recorded)));
    const [first] = chains;
    const id = first === undefined ? null : findThreadId({ chainId: first.chainId, input: first.chain.state.input });
    if (flags.json) {
      terminal.write(formatJson({ thread: id, chains: views }));
      return 0;
    }
    const numbers = chains.map(({ chain }) => getThreadNumber(chain.state.input));
    terminal.write(`${formatThreadLine(id ?? '', numbers, views)}\n`);
    for (const [at, recorded] of chains.entries()) {
      const view = views[at];
      if (view === undefined) continue;
      const options = { ...terminal, now: Date.now(), named: recorded.chainId };
      terminal.write(`\n${formatChainTree(recorded, view, filter, options)}`);
    }
    return 0;
  });
}

function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `Thread weather-1: 3 chains, 7 steps, 12,345 tokens, $0.04` */
export function formatThreadLine(
  id: string,
  numbers: readonly number[],
  views: readonly Pick<ReasoningView, 'steps' | 'tokens' | 'costUsd'>[],
): string {
  const { tokens, costUsd } = sumSpending(views.map((view) => ({ chains: 1, ...view })));
  const steps = views.reduce((sum, chainView) => sum + countSteps(chainView.steps), 0);
  const parts = [
    views.length === 1 ? '1 chain' : `${formatCount(views.length)} chains`,
    steps === 1 ? '1 step' : `${formatCount(steps)} steps`,
    `${formatCount(tokens)} tokens`,
    ...(costUsd === null ? [] : [formatUsd(costUsd)]),
  ];
  return `Thread ${toOneLine(id)}: ${parts.join(', ')}${formatGap(numbers)}`;
}

/** `; chains 3 to 5; the earlier ones are gone` */
function formatGap(numbers: readonly number[]): string {
  const [first = 1, last = first] = [numbers[0], numbers.at(-1)];
  if (first === 1) return '';
  return `; ${first === last ? `chain ${first}` : `chains ${first} to ${last}`}; the earlier ones are gone`;
}
