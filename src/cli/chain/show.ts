/** `longhand chain show`: shows a chain as a tree, or one of its steps in full. */

import type { RecordedHistory } from '../../client/index.js';
import {
  findUnpolledQueue,
  type Longhand,
  readInterims,
  readWithSubChains,
  truncateAfterStep,
} from '../../client/index.js';
import { formatUnpolledQueue } from '../../connection/index.js';
import { LonghandError } from '../../core/lib/index.js';
import { addArgumentSources, type ReasoningView, takeNewest, toReasoning } from '../../core/view/index.js';
import { listViewedSubChains } from '../../store/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain, isFile } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { filterSteps, parseStepFilter, type StepFilterFlags } from '../flags/step-filter.js';
import { UsageError } from '../flags/usage-error.js';
import { parseWholeNumber } from '../flags/values.js';
import { formatChainTree, formatFullStep } from '../print/tree.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { saveFiles } from './save-files.js';

export interface ShowFlags extends StepFilterFlags, ViewFlags {
  readonly step?: string;
  readonly depth?: string;
  readonly tree?: boolean;
  /** Whether all chains of its thread are shown. */
  readonly thread?: boolean;
  /** Folder for the files of the chain. */
  readonly saveFiles?: string;
}

export async function showChain(terminal: Terminal, reference: string, flags: ShowFlags): Promise<number> {
  const filter = parseStepFilter(flags, Date.now());
  const number = flags.step === undefined ? null : parseWholeNumber('--step', flags.step);
  if (number !== null && (flags.from !== undefined || flags.to !== undefined))
    throw new UsageError('--step cannot be combined with --from and --to.');
  const until = number ?? filter.range.to;
  const chainViewer = await createChainViewer(flags);
  const depth = parseDepth(flags);
  return withServer(async (connect) => {
    const recordedChain = await findRecordedChain(reference, connect, until);
    const recorded = until === undefined ? recordedChain : truncateAfterStep(recordedChain, until);
    const isWhole = recorded === recordedChain;
    const longhand = isFile(reference) ? null : await connect();
    const reasoning =
      longhand === null ? toReasoning(recorded) : await readWithSubChains(longhand.client, recorded, depth);
    const interims = longhand === null || !isWhole ? [] : await readInterims(longhand.client, recorded);
    const chain = chainViewer.viewReasoning({
      ...addArgumentSources(reasoning),
      ...(interims.length === 0 ? {} : { interims }),
    });
    const viewed = toViewedChain(recorded);
    const subChains = listViewedSubChains(chain, viewed.tenant);
    await recordView({ role: chainViewer.role, command: 'chain show', named: reference }, [viewed, ...subChains]);
    const startedBy = findStartingWorkflow(recordedChain);
    const forks = longhand === null ? [] : await longhand.listForks(recorded.chainId);
    if (longhand === null && depth > 0) terminal.report('A file holds one chain, without its sub-chains.');
    if (flags.saveFiles !== undefined)
      await saveFiles(terminal, { reasoning, viewReasoning: chainViewer.viewReasoning }, flags.saveFiles);
    if (number !== null) return showStep(terminal, chain, number, flags.json === true);
    if (longhand !== null && chain.startedAt === 0) await reportUnpolledQueue(terminal, longhand, recorded.chainId);
    if (!isWhole) terminal.report(`The chain is shown as it was after step ${until}.`);
    if (flags.json) {
      const { steps } = takeNewest(filterSteps(chain.steps, filter), filter.last ?? 'all');
      terminal.write(formatJson({ ...chain, startedBy, forks, steps }));
    } else {
      terminal.write(
        formatChainTree(recorded, chain, filter, {
          ...terminal,
          now: isWhole ? Date.now() : recorded.chain.state.now,
          named: reference,
          forks,
          startedBy,
          opens: longhand !== null,
        }),
      );
    }
    return 0;
  });
}

/** Returns the id of a workflow that runs the chain by `runAgent`. Null for none, and where only the archive has the chain. */
function findStartingWorkflow({ chain, events }: RecordedHistory): string | null {
  // A sub-chain names its parent itself.
  if (chain.state.input?.lineage !== undefined) return null;
  return events?.[0]?.workflowExecutionStartedEventAttributes?.parentWorkflowExecution?.workflowId ?? null;
}

async function reportUnpolledQueue(terminal: Terminal, { client }: Longhand, chainId: string): Promise<void> {
  const queue = await findUnpolledQueue(client, chainId);
  if (queue !== null) terminal.report(formatUnpolledQueue(queue));
}

/** Number of levels of sub-chains to open. @throws UsageError */
function parseDepth({ depth, tree }: Pick<ShowFlags, 'depth' | 'tree'>): number {
  if (tree && depth !== undefined) throw new UsageError('--tree and --depth cannot be combined.');
  if (tree) return Number.POSITIVE_INFINITY;
  return depth === undefined ? 0 : parseWholeNumber('--depth', depth);
}

function showStep(terminal: Terminal, chain: ReasoningView, number: number, json: boolean): number {
  const steps = chain.steps.filter((step) => step.number === number);
  const last = Math.max(0, ...chain.steps.map((step) => step.number));
  if (steps.length === 0) {
    const there = last === 0 ? 'it has none yet' : `it has steps 1 to ${last}`;
    throw new LonghandError('call_not_found', `The chain has no step ${number}: ${there}.`);
  }
  if (json) terminal.write(formatJson(steps));
  else terminal.write(formatFullStep(steps, chain, terminal));
  return 0;
}
