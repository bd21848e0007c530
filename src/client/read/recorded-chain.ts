/** A complete recorded chain, from the server, the archive, a downloaded history, or a chain file. */

import { defaultDataConverter, type LoadedDataConverter } from '@temporalio/common';
import type { ArchiveListing } from '../../contract/archived-runs.js';
import { workflowType } from '../../contract/names.js';
import { type FoldedTurn, foldRecordedRuns, foldRecordedTurns } from '../../core/engine/fold-turns.js';
import type { ChainResult } from '../../core/engine/result.js';
import { toErrorMessage } from '../../core/lib/errors.js';
import { isObject } from '../../core/lib/json.js';
import type { ActivityAttempts } from '../../core/model/activity.js';
import type { Chain } from '../../core/model/chain.js';
import {
  type ChainFile,
  type ChainRun,
  type CloseStatus,
  chainFormat,
  chainVersion,
  findDefinition,
  type ModelCallHead,
  parseChainFile,
} from '../../core/record/chain-file.js';
import { checkFaults, computeClosedResult } from '../../core/record/closed-result.js';
import { formatDivergence, verifyFile } from '../../core/record/verify-file.js';
import { buildReasoning, emptyReasoningContext } from '../../core/view/build-reasoning.js';
import type { Reasoning } from '../../core/view/reasoning.js';
import { readRunWithEarlier } from '../../history/earlier-runs.js';
import { findNextRunId, getEventId, type HistoryEvent } from '../../history/event.js';
import { computeSha256, emptyFold } from '../../history/fold.js';
import { parseHistoryJson } from '../../history/history-json.js';
import { readForward } from '../../history/read-history.js';
import { buildRecordedRun, type RecordedRun } from '../../history/recorded-run.js';
import { ArchiveMismatchError, InvalidChainFileError } from '../errors/errors.js';
import { type ArchiveMismatch, type ChainSource, compareWithArchive, toRunsSource } from './chain-source.js';
import { addStartData } from './start-data.js';

export interface RecordedChain {
  readonly chainId: string;
  /** The last run. */
  readonly runId: string;
  readonly chain: Chain;
  /** The turns of all runs. */
  readonly turns: readonly FoldedTurn[];
  readonly heads: readonly ModelCallHead[];
  readonly closed: CloseStatus | null;
  /** Milliseconds since 1970; null while the chain runs. */
  readonly closedAt: number | null;
  readonly attempts: ReadonlyMap<string, ActivityAttempts>;
  readonly runs: readonly ChainRun[];
  /** Events of the last run. Null for a chain file or an archived chain. */
  readonly events: readonly HistoryEvent[] | null;
}

/**
 * Reads a complete chain, from the server or the archive.
 *
 * @param archive whether a difference between the archive's row and the facts is an error
 * @throws {ChainNotFoundError} {MissingRunError} {ArchiveMismatchError} and errors of the server
 */
export async function readRecordedChain(
  source: ChainSource,
  archive: 'checked' | 'asItIs' = 'checked',
): Promise<RecordedChain> {
  const { converter, chainId, archivedChain } = source;
  if (archivedChain !== null) {
    const { misfiled, ...recorded } = fromArchive(chainId, await archivedChain.readRuns(), archivedChain.listing);
    if (misfiled === null || archive === 'asItIs') return recorded;
    throw new ArchiveMismatchError(chainId, misfiled.member);
  }
  const run = { workflowId: chainId, runId: source.runId };
  let { events, earlier } = await readRunWithEarlier(toRunsSource(source), run);
  const runs = [...earlier];
  for (let runId: string | null = source.runId; runId !== null; ) {
    const run: RecordedRun = await buildRecordedRun(events, converter, runs.at(-1)?.chain, runId || undefined);
    runs.push(run);
    runId = findNextRunId(events);
    if (runId !== null) events = await readEvents(source, runId);
  }
  const recorded = fromRuns(chainId, runs, events);
  return { ...recorded, chain: await addStartData(recorded.chain, source, events[0]) };
}

/** Returns the first difference between an archived chain's row and its facts; null for a chain on the server. */
export async function findArchiveMismatch({ chainId, archivedChain }: ChainSource): Promise<ArchiveMismatch | null> {
  return archivedChain === null
    ? null
    : fromArchive(chainId, await archivedChain.readRuns(), archivedChain.listing).misfiled;
}

/** Builds the chain from its archived runs. It has not ended when its last archived run continued as new. */
function fromArchive(
  chainId: string,
  chainRuns: readonly ChainRun[],
  listed: ArchiveListing,
): RecordedChain & { readonly misfiled: ArchiveMismatch | null } {
  const runs = foldRecordedRuns(chainRuns, computeSha256);
  const { closed, closedAt, ...rest } = fromRuns(chainId, runs, null);
  const over = closed !== 'continuedAsNew';
  const recorded = { ...rest, closed: over ? closed : null, closedAt: over ? closedAt : null };
  const heads = new Map(runs.map(({ run, chain }) => [run.runId, chain.state.head]));
  return { ...recorded, misfiled: compareWithArchive(recorded, heads, listed) };
}

async function readEvents({ service, namespace, chainId }: ChainSource, runId: string): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  for await (const page of readForward({ service, namespace }, { workflowId: chainId, runId })) events.push(...page);
  return events;
}

/**
 * Parses a chain file, or a history downloaded with the Web UI or the Temporal CLI.
 *
 * @param converter for encoded payloads: `longhand.client.workflow.options.loadedDataConverter`
 * @throws {InvalidChainFileError} when the file is invalid, also when a fact in it was altered
 * @example
 * const recorded = await parseRecordedChain(await readFile('weather-1.json', 'utf8'));
 * const shown = view(toReasoning(recorded), createViewer('developer'));
 * const chain = await longhand.fork(recorded, { atStep: 2 });
 */
export async function parseRecordedChain(text: string, converter = defaultDataConverter): Promise<RecordedChain> {
  const parsedFile = await parseFile(text, converter);
  const file = 'format' in parsedFile ? parsedFile : toChainFile(parsedFile);
  const { divergence } = verifyFile(file);
  if (divergence !== null) {
    throw new InvalidChainFileError(
      `it was altered. ${formatDivergence(divergence)}. Run \`longhand chain verify\` on it`,
    );
  }
  return 'format' in parsedFile ? fromChainFile(parsedFile) : parsedFile;
}

/**
 * Parses a chain without checking for alterations, as a chain file: for `verify`.
 *
 * @throws {InvalidChainFileError}
 */
export async function parseAsChainFile(text: string, converter: LoadedDataConverter): Promise<ChainFile> {
  const file = await parseFile(text, converter);
  return 'format' in file ? file : toChainFile(file);
}

/**
 * Parses a downloaded history without checking for alterations: for replay.
 *
 * @throws {InvalidChainFileError}
 */
export async function parseAsHistory(text: string, converter: LoadedDataConverter): Promise<RecordedChain> {
  const file = await parseFile(text, converter);
  if (!('format' in file)) return file;
  throw new InvalidChainFileError(
    'it has facts, but no history. Export one with `longhand chain export <chain> --format history`',
  );
}

export function toChainFile({ chainId, chain, runs }: RecordedChain): ChainFile {
  const definition = findDefinition(runs);
  return { format: chainFormat, version: chainVersion, chainId, definition, runs, digest: chain.state.head };
}

/** Null while the chain runs. */
export function toRecordedResult(recorded: Pick<RecordedChain, 'chain' | 'closed' | 'closedAt'>): ChainResult | null {
  return recorded.closed === null ? null : computeClosedResult(recorded);
}

/** Returns the complete reasoning of a chain, for `view` to limit to a viewer. */
export function toReasoning(recorded: Pick<RecordedChain, 'chain' | 'closed' | 'closedAt' | 'attempts'>): Reasoning {
  const { chain, attempts } = recorded;
  return buildReasoning(chain, { ...emptyReasoningContext, attempts, result: toRecordedResult(recorded) });
}

async function parseFile(text: string, converter: LoadedDataConverter): Promise<ChainFile | RecordedChain> {
  const value = readOrReject('it is not JSON, or was cut short', () => JSON.parse(text) as unknown);
  if (isObject(value) && value.format === chainFormat) {
    const read = parseChainFile(value);
    if (!read.ok) throw new InvalidChainFileError(read.problem);
    return read.file;
  }
  if (!isObject(value) || !Array.isArray(value.events)) {
    throw new InvalidChainFileError('expected a chain exported by Longhand or a history exported by Temporal');
  }
  const events = readOrReject('its events cannot be read; download them undecoded', () => parseHistoryJson(text));
  const type = events[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name;
  if (type == null) throw new InvalidChainFileError('its history does not begin with the start of a workflow');
  const gap = events.findIndex((event, at) => getEventId(event) !== at + 1);
  if (gap >= 0) throw new InvalidChainFileError(`its history is incomplete: event ${gap + 1} is missing`);
  const recorded = await fromHistory(events, converter).catch((error: unknown) => {
    throw new InvalidChainFileError(
      `its workflow has type ${type} and cannot be folded to a chain: ${formatError(error)}`,
    );
  });
  const { input } = recorded.chain.state;
  if (type === workflowType && isObject(input) && typeof input.task === 'string') return recorded;
  throw new InvalidChainFileError(`its workflow has type ${type} and is not a started chain of Longhand`);
}

function fromChainFile({ chainId, runs }: ChainFile): RecordedChain {
  const last = runs.at(-1);
  const turns = runs.flatMap((run) => run.turns);
  const folded = readOrReject('its facts cannot be folded', () => {
    const refolded = foldRecordedTurns(turns, undefined, computeSha256);
    checkFaults(refolded, last);
    return refolded;
  });
  return {
    chainId,
    ...folded,
    ...joinRuns(runs),
    runId: last?.runId ?? '',
    closed: last?.closed ?? null,
    closedAt: last?.closedAt ?? null,
    events: null,
  };
}

/** Builds a chain from a downloaded history, which has one run: a later run starts from its continue-as-new input. */
async function fromHistory(events: readonly HistoryEvent[], converter: LoadedDataConverter): Promise<RecordedChain> {
  const one = await buildRecordedRun(events, converter);
  return fromRuns(one.chain.state.chainId, [one], events);
}

function fromRuns(chainId: string, runs: readonly RecordedRun[], events: RecordedChain['events']): RecordedChain {
  const last = runs.at(-1);
  return {
    chainId,
    runId: last?.run.runId ?? '',
    chain: last?.chain ?? emptyFold.chain,
    turns: runs.flatMap(({ turns }) => turns),
    closed: last?.run.closed ?? null,
    closedAt: last?.run.closedAt ?? null,
    ...joinRuns(runs.map(({ run }) => run)),
    events,
  };
}

function joinRuns(runs: readonly ChainRun[]): Pick<RecordedChain, 'runs' | 'heads' | 'attempts'> {
  const attempts = new Map(runs.flatMap((run) => Object.entries(run.attempts)));
  return { runs, heads: runs.flatMap((run) => run.heads), attempts };
}

function readOrReject<T>(problem: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new InvalidChainFileError(`${problem} (${formatError(error)})`);
  }
}

/** Returns the message on one line: it may quote unreadable content. */
function formatError(error: unknown): string {
  return toErrorMessage(error).replace(/[\s\p{Cc}]+/gu, ' ');
}
