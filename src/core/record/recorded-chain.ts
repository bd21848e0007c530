/** A complete recorded chain, and the one in a chain file. */

import { type FoldedTurn, foldRecordedTurns } from '../engine/index.js';
import { isObject, type Sha256, toErrorMessage } from '../lib/index.js';
import type { ActivityAttempts, Chain } from '../model/index.js';
import {
  type ChainFile,
  type ChainRun,
  type CloseStatus,
  chainFormat,
  type ModelCallHead,
  parseChainFile,
} from './chain-file.js';
import { checkFaults } from './closed-result.js';
import { InvalidChainFileError } from './invalid-chain-file-error.js';
import { formatDivergence, verifyFile } from './verify-file.js';

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
}

/** `readChainFile`. */
export function readVerifiedFile(text: string): RecordedChain {
  const file = parseFormat(parseFileJson(text));
  if (file === null) throw new InvalidChainFileError('expected a chain exported by Longhand');
  checkUnaltered(file);
  return fromChainFile(file);
}

/** Parses the text of a file. @throws {InvalidChainFileError} */
export function parseFileJson(text: string): unknown {
  return readOrReject('it is not JSON, or was cut short', () => JSON.parse(text) as unknown);
}

/** Returns a chain file without checking its facts; null for another format. @throws {InvalidChainFileError} */
export function parseFormat(value: unknown): ChainFile | null {
  if (!isObject(value) || value.format !== chainFormat) return null;
  const read = parseChainFile(value);
  if (!read.ok) throw new InvalidChainFileError(read.problem);
  return read.file;
}

/** @throws {InvalidChainFileError} when a fact was altered */
export function checkUnaltered(file: ChainFile): void {
  const { divergence } = verifyFile(file);
  if (divergence === null) return;
  throw new InvalidChainFileError(
    `it was altered. ${formatDivergence(divergence)}. Run \`longhand chain verify\` on it`,
  );
}

/** @param sha256 a faster implementation, where the host has one */
export function fromChainFile({ chainId, runs }: ChainFile, sha256?: Sha256): RecordedChain {
  const last = runs.at(-1);
  const turns = runs.flatMap((run) => run.turns);
  const folded = readOrReject('its facts cannot be folded', () => {
    const refolded = foldRecordedTurns(turns, undefined, sha256);
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
  };
}

export function joinRuns(runs: readonly ChainRun[]): Pick<RecordedChain, 'runs' | 'heads' | 'attempts'> {
  const attempts = new Map(runs.flatMap((run) => Object.entries(run.attempts)));
  return { runs, heads: runs.flatMap((run) => run.heads), attempts };
}

/** Runs `read`. @throws {InvalidChainFileError} with `problem` and what `read` throws */
export function readOrReject<T>(problem: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new InvalidChainFileError(`${problem} (${formatError(error)})`);
  }
}

/** Returns the message on one line: it may quote unreadable content. */
export function formatError(error: unknown): string {
  return toErrorMessage(error).replace(/[\s\p{Cc}]+/gu, ' ');
}
