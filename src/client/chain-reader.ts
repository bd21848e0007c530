/** Reads one chain for its handle: views, prompts, files, entries. A client loads this with the first chain that it reads. */

import type { Client } from '@temporalio/client';
import type { TokenSubscriber } from '../contract/index.js';
import {
  type ChainResult,
  describeFlight,
  emptyRecord,
  listOpenRequests,
  type OpenRequest,
} from '../core/engine/index.js';
import { LonghandError } from '../core/lib/index.js';
import { computeClosedResult, type RecordedChain } from '../core/record/index.js';
import {
  buildTrace,
  findRangeProblem,
  type StepRange,
  selectSteps,
  type Trace,
  toReasoning,
  type Viewer,
  type ViewRules,
  type VisibilityConfig,
  validateVisibility,
  view,
  viewPrompt,
} from '../core/view/index.js';
import type { ChainDescription, ChainHandle } from './chain-handle.js';
import { follow } from './follow/follow.js';
import { watch } from './follow/watch.js';
import type { ChainArchive } from './read/chain-archive.js';
import { readForView } from './read/chain-end.js';
import { readChainPart, truncateAfterStep } from './read/chain-part.js';
import { checkRun } from './read/chain-runs.js';
import { type ChainSource, resolveChainSource } from './read/chain-source.js';
import { readChain, readChainState } from './read/read-chain.js';
import { readFile, readObservation, type ViewedChain } from './read/read-file.js';
import { readPrompt } from './read/read-prompt.js';
import { readRecordedChain } from './read/recorded-chain.js';
import { resolveViewer } from './read/resolve-viewer.js';
import { addStartData } from './read/start-data.js';
import { readWithSubChains } from './read/sub-chains.js';
import { findUnpolledQueue } from './read/unpolled-queue.js';

export interface ReaderOptions {
  readonly client: Client;
  readonly chainId: string;
  readonly tokens: TokenSubscriber | null;
  /** The store, with the bytes of files; null for none. */
  readonly archive: ChainArchive | null;
}

type ReadMember = 'follow' | 'view' | 'readPrompt' | 'readFile' | 'readObservation' | 'watch' | 'describe' | 'read';

/** The members of a handle that read, and what its other members need of the chain. */
export interface ChainReader extends Pick<ChainHandle, ReadMember> {
  /** Returns the result of a closed chain; null while it runs. */
  readonly readResult: () => Promise<ClosedRead>;
  readonly readTrace: () => Promise<Trace>;
  readonly listOpenRequests: () => Promise<readonly OpenRequest[]>;
}

export interface ClosedRead {
  readonly result: ChainResult | null;
  /** Whether the archive was read: it has only earlier runs of a chain that runs. */
  readonly isArchived: boolean;
}

export function createChainReader({ client, chainId, tokens, archive }: ReaderOptions): ChainReader {
  const source = () => resolveChainSource(client, chainId);
  const readViewed = async (viewer: Viewer, visibility: VisibilityConfig): Promise<ViewedChain> => {
    checkVisibility(visibility);
    const resolved = await resolveViewer(viewer, archive);
    const reasoning = toReasoning(await readRecordedChain(await source()));
    return { reasoning, viewReasoning: (subject) => view(subject, resolved, visibility) };
  };
  const read = async () => {
    const opened = await source();
    return addStartData((await readChain(opened)).chain, opened);
  };
  return {
    follow: async function* (options = {}) {
      const opened = await source();
      if (options.from) await checkRun(opened, options.from);
      yield* follow(opened, tokens, options);
    },
    view: async (viewer, visibility = {}, { depth = 0, ...range } = {}) => {
      checkVisibility(visibility);
      checkRange(range);
      const resolved = await resolveViewer(viewer, archive);
      const isEnd = depth === 0 && range.to === undefined && (range.from ?? range.last) !== undefined;
      const opened = await source();
      const reasoning = isEnd
        ? await readEndReasoning(client, opened, range, { viewer: resolved, config: visibility })
        : await readWithSubChains(client, await readUpTo(opened, range), depth);
      const { outline, ...whole } = view(reasoning, resolved, visibility);
      const isWhole = [range.from, range.to, range.last].every((part) => part === undefined);
      const steps = selectSteps(whole.steps, range);
      // A reader of the end has not read the texts before.
      return { ...whole, ...(isWhole && outline !== undefined ? { outline } : {}), steps };
    },
    readPrompt: async (ref, viewer, visibility = {}) => {
      checkVisibility(visibility);
      const recorded = await readRecordedChain(await source());
      return viewPrompt(
        toReasoning(recorded),
        readPrompt(recorded, ref),
        await resolveViewer(viewer, archive),
        visibility,
      );
    },
    readFile: async (ref, viewer, visibility = {}) => readFile(archive, await readViewed(viewer, visibility), ref),
    readObservation: async (call, viewer, visibility = {}) =>
      readObservation(archive, await readViewed(viewer, visibility), call),
    watch: async function* (viewer, options = {}) {
      checkVisibility(options.visibility ?? {});
      const opened = await source();
      if (options.from) await checkRun(opened, options.from);
      yield* watch(opened, tokens, await resolveViewer(viewer, archive), options);
    },
    describe: async () => describeChain(client, await source()),
    read,
    readTrace: async () => buildTrace(await read()),
    readResult: async () => {
      const opened = await source();
      const { state, closed, closedAt } = await readChainState(opened);
      const result = closed === null ? null : computeClosedResult({ chain: { state }, closed, closedAt });
      return { result, isArchived: opened.archivedChain !== null };
    },
    listOpenRequests: async () => {
      const { state, closed } = await readChainState(await source());
      return closed === null ? listOpenRequests(state, Date.now()) : [];
    },
  };
}

/** Describes a chain from the history of its last run: steps, spending, and the operation under way. */
async function describeChain(client: Client, source: ChainSource): Promise<ChainDescription> {
  const read = await readChainState(source);
  const { state } = await addStartData({ ...emptyRecord, state: read.state }, source);
  return {
    chainId: source.chainId,
    runId: read.runId,
    agent: state.input?.agent ?? '',
    task: state.input?.task ?? '',
    status: read.closed === null ? 'running' : 'ended',
    outcome: read.closed === null ? null : computeClosedResult({ ...read, chain: read }).outcome,
    doing: read.closed === null ? describeFlight(state) : null,
    steps: state.steps,
    tokens: state.charged.tokens,
    costUsd: state.charged.usd,
    currentScratchpad: state.scratchpad,
    unpolledQueue: read.closed === null ? await findUnpolledQueue(client, source.chainId) : null,
  };
}

/** Checks rules that may come from a file, where types do not help. */
function checkVisibility(visibility: VisibilityConfig): void {
  const problem = validateVisibility(visibility);
  if (problem !== null) throw new LonghandError('invalid_policy', `Invalid visibility rules: ${problem}.`);
}

function checkRange(range: StepRange): void {
  const problem = findRangeProblem(range);
  if (problem !== null) throw new LonghandError('invalid_options', `Invalid range of steps: ${problem}.`);
}

async function readUpTo(source: ChainSource, { to }: StepRange): Promise<RecordedChain> {
  return to === undefined ? readRecordedChain(source) : truncateAfterStep(await readChainPart(source, to), to);
}

async function readEndReasoning(client: Client, source: ChainSource, range: StepRange, rules: ViewRules) {
  const { end, reasoning } = await readForView(source, range, rules);
  return Object.keys(reasoning.children).length === 0 ? reasoning : readWithSubChains(client, end, 0);
}
