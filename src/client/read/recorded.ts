/** A whole chain as it was recorded, wherever it was found: on the server, in a downloaded history, in a chain's file. */

import { defaultDataConverter, type LoadedDataConverter } from '@temporalio/common';
import type { Listing } from '../../contract/archived-runs.js';
import { workflowType } from '../../contract/names.js';
import { refold, refoldRuns, type TakenTurn } from '../../core/engine/refold.js';
import type { ChainResult } from '../../core/engine/result.js';
import { isObject } from '../../core/lib/json.js';
import type { Attempts } from '../../core/model/activity.js';
import type { Chain } from '../../core/model/chain.js';
import {
  type ChainFile,
  type ChainRun,
  type Closed,
  chainFormat,
  chainVersion,
  definitionIn,
  type Head,
  readChainFile,
} from '../../core/record/chain-file.js';
import { checkFaults, resultOfClosed } from '../../core/record/closed-result.js';
import { partingText, verifyFile } from '../../core/record/verify-file.js';
import { nothingBeside, reason } from '../../core/view/reason.js';
import type { Reasoning } from '../../core/view/reasoning.js';
import { runBefore, runsUpTo } from '../../history/earlier-runs.js';
import { continuedIn, type HistoryEvent, idOf } from '../../history/event.js';
import { emptyFold, sha256 } from '../../history/fold.js';
import { historyFromJson } from '../../history/history-json.js';
import { readForward } from '../../history/read.js';
import { type RecordedRun, recordedRun } from '../../history/recorded-run.js';
import { AlteredArchiveError, UnreadableFileError } from '../errors/errors.js';
import { type ChainSource, type Misfiled, misfiledIn, runsOf } from './source.js';

export interface Recorded {
  readonly chainId: string;
  /** The last of its runs. */
  readonly runId: string;
  readonly chain: Chain;
  /** Through all its runs. */
  readonly turns: readonly TakenTurn[];
  readonly heads: readonly Head[];
  readonly closed: Closed | null;
  /** Milliseconds since 1970; null while the chain runs. */
  readonly closedAt: number | null;
  readonly attempts: ReadonlyMap<string, Attempts>;
  readonly runs: readonly ChainRun[];
  /** Of its last run. Null where only a chain's file was there, or the archive. */
  readonly events: readonly HistoryEvent[] | null;
}

/**
 * In the archive, where the source says so.
 *
 * @param archive whether a row of the archive that differs from the facts is an error
 * @throws NoSuchChainError, MissingRunError, AlteredArchiveError, and what the server answers
 */
export async function recordedOnServer(
  source: ChainSource,
  archive: 'checked' | 'asItIs' = 'checked',
): Promise<Recorded> {
  const { converter, chainId, kept } = source;
  if (kept !== null) {
    const { misfiled, ...recorded } = recordedInArchive(chainId, await kept.runs(), kept.listed);
    if (misfiled === null || archive === 'asItIs') return recorded;
    throw new AlteredArchiveError(chainId, misfiled.member);
  }
  let events = await eventsOf(source, source.runId);
  const runs = [...(await runsUpTo(runsOf(source), chainId, await runBefore(events[0], converter)))];
  for (let runId: string | null = source.runId; runId !== null; ) {
    const run: RecordedRun = await recordedRun(events, converter, runs.at(-1)?.chain, runId || undefined);
    runs.push(run);
    runId = continuedIn(events);
    if (runId !== null) events = await eventsOf(source, runId);
  }
  return recordedOfRuns(chainId, runs, events);
}

/** Where an archived chain's row differs from its facts; null for a chain that is on the server. */
export async function misfiledOf({ chainId, kept }: ChainSource): Promise<Misfiled | null> {
  return kept === null ? null : recordedInArchive(chainId, await kept.runs(), kept.listed).misfiled;
}

/** A chain that goes on in a run which is not archived yet has not ended. */
function recordedInArchive(
  chainId: string,
  kept: readonly ChainRun[],
  listed: Listing,
): Recorded & { readonly misfiled: Misfiled | null } {
  const runs = refoldRuns(kept, sha256);
  const { closed, closedAt, ...rest } = recordedOfRuns(chainId, runs, null);
  const over = closed !== 'continuedAsNew';
  const recorded = { ...rest, closed: over ? closed : null, closedAt: over ? closedAt : null };
  const heads = new Map(runs.map(({ run, chain }) => [run.runId, chain.state.head]));
  return { ...recorded, misfiled: misfiledIn(recorded, heads, listed) };
}

async function eventsOf({ service, namespace, chainId }: ChainSource, runId: string): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  for await (const page of readForward({ service, namespace }, { workflowId: chainId, runId })) events.push(...page);
  return events;
}

/**
 * Reads a chain's file, or a history as the Web UI and the Temporal CLI download it.
 *
 * @param converter of histories whose payloads are coded: `longhand.client.workflow.options.loadedDataConverter`
 * @throws UnreadableFileError saying what is wrong with it; also when a fact in it was altered
 * @example
 * const recorded = await recordedInFile(await readFile('weather-1.json', 'utf8'));
 * const seen = view(reasoningOf(recorded), viewerOf('developer'));
 * const chain = await longhand.fork(recorded, { atStep: 2 });
 */
export async function recordedInFile(text: string, converter = defaultDataConverter): Promise<Recorded> {
  const found = await inFile(text, converter);
  const file = 'format' in found ? found : chainFileOf(found);
  const { parting } = verifyFile(file);
  if (parting !== null) {
    throw new UnreadableFileError(`a part of it was altered. ${partingText(parting)}. See \`longhand chain verify\``);
  }
  return 'format' in found ? recordedOf(found) : found;
}

/**
 * The same as a chain's file, altered or not: for who wants to know where.
 *
 * @throws UnreadableFileError
 */
export async function chainFileIn(text: string, converter: LoadedDataConverter): Promise<ChainFile> {
  const found = await inFile(text, converter);
  return 'format' in found ? found : chainFileOf(found);
}

/**
 * A downloaded history, altered or not: for who wants to know what its workflow makes of it.
 *
 * @throws UnreadableFileError
 */
export async function historyIn(text: string, converter: LoadedDataConverter): Promise<Recorded> {
  const found = await inFile(text, converter);
  if (!('format' in found)) return found;
  throw new UnreadableFileError('it holds the facts of a chain and not its history');
}

export function chainFileOf({ chainId, chain, runs }: Recorded): ChainFile {
  const definition = definitionIn(runs);
  return { format: chainFormat, version: chainVersion, chainId, definition, runs, digest: chain.state.head };
}

/** Null while the chain runs. */
export function resultOfRecorded(recorded: Recorded): ChainResult | null {
  return recorded.closed === null ? null : resultOfClosed(recorded);
}

/** Thoughts, calls, results and conclusions, for `view` to show as much of as somebody may see. */
export function reasoningOf(recorded: Recorded): Reasoning {
  const { chain, attempts } = recorded;
  return reason(chain, { ...nothingBeside, attempts, result: resultOfRecorded(recorded) });
}

async function inFile(text: string, converter: LoadedDataConverter): Promise<ChainFile | Recorded> {
  const value = orUnreadable('it is not JSON, or was cut short', () => JSON.parse(text) as unknown);
  if (isObject(value) && value.format === chainFormat) {
    const read = readChainFile(value);
    if (!read.ok) throw new UnreadableFileError(read.problem);
    return read.file;
  }
  if (!isObject(value) || !Array.isArray(value.events)) {
    throw new UnreadableFileError('it is neither a chain that Longhand exported nor a history that Temporal did');
  }
  const events = orUnreadable('its events cannot be read; download them undecoded', () => historyFromJson(text));
  const type = events[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name;
  if (type == null) throw new UnreadableFileError('its history does not begin with the start of a workflow');
  const gap = events.findIndex((event, at) => idOf(event) !== at + 1);
  if (gap >= 0) throw new UnreadableFileError(`its history is not whole: event ${gap + 1} is missing`);
  const recorded = await recordedIn(events, converter).catch((error: unknown) => {
    throw new UnreadableFileError(`its workflow is of type ${type}, and no chain can be made of it: ${said(error)}`);
  });
  const { input } = recorded.chain.state;
  if (type === workflowType && isObject(input) && typeof input.task === 'string') return recorded;
  throw new UnreadableFileError(`its workflow is of type ${type}, which is no chain of Longhand that had begun`);
}

function recordedOf({ chainId, runs }: ChainFile): Recorded {
  const last = runs.at(-1);
  const turns = runs.flatMap((run) => run.turns);
  const folded = orUnreadable('no chain can be made of its facts', () => {
    const refolded = refold(turns, undefined, sha256);
    checkFaults(refolded, last);
    return refolded;
  });
  return {
    chainId,
    ...folded,
    ...joined(runs),
    runId: last?.runId ?? '',
    closed: last?.closed ?? null,
    closedAt: last?.closedAt ?? null,
    events: null,
  };
}

/** A downloaded history is one run's: of a later one it holds what came since it began. */
async function recordedIn(events: readonly HistoryEvent[], converter: LoadedDataConverter): Promise<Recorded> {
  const one = await recordedRun(events, converter);
  return recordedOfRuns(one.chain.state.chainId, [one], events);
}

function recordedOfRuns(chainId: string, runs: readonly RecordedRun[], events: Recorded['events']): Recorded {
  const last = runs.at(-1);
  return {
    chainId,
    runId: last?.run.runId ?? '',
    chain: last?.chain ?? emptyFold.chain,
    turns: runs.flatMap(({ turns }) => turns),
    closed: last?.run.closed ?? null,
    closedAt: last?.run.closedAt ?? null,
    ...joined(runs.map(({ run }) => run)),
    events,
  };
}

function joined(runs: readonly ChainRun[]): Pick<Recorded, 'runs' | 'heads' | 'attempts'> {
  const attempts = new Map(runs.flatMap((run) => Object.entries(run.attempts)));
  return { runs, heads: runs.flatMap((run) => run.heads), attempts };
}

function orUnreadable<T>(problem: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UnreadableFileError(`${problem}: ${said(error)}`);
  }
}

/** In a line: what cannot be read is quoted in it. */
function said(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/[\s\p{Cc}]+/gu, ' ');
}
