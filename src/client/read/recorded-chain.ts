/** A complete recorded chain, from the server, the archive, a downloaded history, or a chain file. */

import { defaultDataConverter, type LoadedDataConverter } from '@temporalio/common';
import { type ArchiveListing, workflowType } from '../../contract/index.js';
import { foldRecordedRuns } from '../../core/engine/index.js';
import { isObject } from '../../core/lib/index.js';
import {
  type ChainFile,
  type ChainRun,
  chainFormat,
  chainVersion,
  checkUnaltered,
  findDefinition,
  formatError,
  fromChainFile,
  InvalidChainFileError,
  joinRuns,
  parseFileJson,
  parseFormat,
  type RecordedChain,
  readOrReject,
} from '../../core/record/index.js';
import {
  buildRecordedRun,
  computeSha256,
  emptyFold,
  findNextRunId,
  getEventId,
  type HistoryEvent,
  parseHistoryJson,
  type RecordedRun,
  readForward,
  readRunWithEarlier,
} from '../../history/index.js';
import { ArchiveMismatchError } from '../errors/errors.js';
import { type ArchiveMismatch, compareWithArchive } from './archive-mismatch.js';
import { type ChainSource, toRunsSource } from './chain-source.js';
import { addStartData } from './start-data.js';

export interface RecordedHistory extends RecordedChain {
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
): Promise<RecordedHistory> {
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
): RecordedHistory & { readonly misfiled: ArchiveMismatch | null } {
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

/** `parseRecordedChain`. */
export async function parseHistoryOrFile(text: string, converter = defaultDataConverter): Promise<RecordedHistory> {
  const parsedFile = await parseFile(text, converter);
  checkUnaltered('format' in parsedFile ? parsedFile : toChainFile(parsedFile));
  return 'format' in parsedFile ? { ...fromChainFile(parsedFile, computeSha256), events: null } : parsedFile;
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
export async function parseAsHistory(text: string, converter: LoadedDataConverter): Promise<RecordedHistory> {
  const file = await parseFile(text, converter);
  if (!('format' in file)) return file;
  throw new InvalidChainFileError(
    'it has facts, but no history. Export one with `longhand chain export <chain> --format history`',
  );
}

export function toChainFile({ chainId, chain, runs }: Pick<RecordedChain, 'chainId' | 'chain' | 'runs'>): ChainFile {
  const definition = findDefinition(runs);
  return { format: chainFormat, version: chainVersion, chainId, definition, runs, digest: chain.state.head };
}

async function parseFile(text: string, converter: LoadedDataConverter): Promise<ChainFile | RecordedHistory> {
  const value = parseFileJson(text);
  const file = parseFormat(value);
  if (file !== null) return file;
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

/** Builds a chain from a downloaded history, which has one run: a later run starts from its continue-as-new input. */
async function fromHistory(events: readonly HistoryEvent[], converter: LoadedDataConverter): Promise<RecordedHistory> {
  const one = await buildRecordedRun(events, converter);
  return fromRuns(one.chain.state.chainId, [one], events);
}

function fromRuns(chainId: string, runs: readonly RecordedRun[], events: RecordedHistory['events']): RecordedHistory {
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
