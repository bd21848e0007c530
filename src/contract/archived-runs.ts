/**
 * The archive as both sides know it: where readers find runs that the server may have forgotten, and how a workflow tells
 * its worker that a run closes.
 */

import type { ChainRun } from '../core/record/chain-file.js';
import type { ChainListItem } from '../core/record/chain-list-item.js';

/** Of one namespace. */
export interface ArchivedRuns {
  /** As it was when it closed; null for one that is not there. @throws Error when the archive is away, or the run damaged */
  readonly findRun: (chainId: string, runId: string) => Promise<ChainRun | null>;
  /** Null for a chain that is not there. @throws Error when the archive is away, or the chain was erased */
  readonly findChain: (chainId: string) => Promise<ArchivedChain | null>;
}

/** What is there of a chain: its runs up to the one that closed last. */
export interface ArchivedChain {
  readonly lastRunId: string;
  readonly listing: ArchiveListing;
  /** The oldest first. @throws Error as `findRun` */
  readonly readRuns: () => Promise<readonly ChainRun[]>;
  /** The same in pieces, which are read as they are asked for. @throws Error as `findRun` */
  readonly readPieces: () => AsyncIterable<RunPiece>;
}

/** What rows say of a chain beside its facts, for lists to be quick. Whoever can write rows can alter them. */
export interface ArchiveListing {
  readonly glance: ChainListItem;
  readonly facts: number;
  readonly head: string;
  /** Where each run ended, by its id. */
  readonly heads: ReadonlyMap<string, string>;
}

/** Turns of one run in a row. */
export interface RunPiece extends Pick<ChainRun, 'turns' | 'attempts'> {
  readonly run: Pick<ChainRun, 'runId' | 'closed' | 'closedAt'>;
  /** Of a run's last piece: the head over the chain's facts up to there, as it was put. Null of the others. */
  readonly head: string | null;
}

/** A type and no interface: the SDK asks for one with an index. */
export type ArchiveSinks = {
  /** The run that tells it is about to close, and nothing comes after it: its worker may archive it. */
  longhandArchive: { ending: () => void };
};
