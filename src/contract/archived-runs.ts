/**
 * The archive for readers, which finds runs that the server deleted, and the sink by which a workflow notifies its
 * worker of a closing run.
 */

import type { ChainListItem, ChainRun } from '../core/record/index.js';

/** Archived runs of one namespace. */
export interface ArchivedRuns {
  /** Returns a run as it closed; null if not archived. @throws when the archive is unavailable or the run damaged */
  readonly findRun: (chainId: string, runId: string) => Promise<ChainRun | null>;
  /** Returns null for a chain that is not archived. @throws when the archive is unavailable or the chain was erased */
  readonly findChain: (chainId: string) => Promise<ArchivedChain | null>;
}

/** The archived runs of a chain, up to the one that closed last. */
export interface ArchivedChain {
  readonly lastRunId: string;
  readonly listing: ArchiveListing;
  /** Oldest first. @throws as `findRun` */
  readonly readRuns: () => Promise<readonly ChainRun[]>;
  /** The same in pieces, read on demand. @throws as `findRun` */
  readonly readPieces: () => AsyncIterable<RunPiece>;
}

/** The rows of a chain in lists. A person with write access to rows can alter them. */
export interface ArchiveListing {
  readonly glance: ChainListItem;
  readonly facts: number;
  readonly head: string;
  /** Head at the end of each run, by its id. */
  readonly heads: ReadonlyMap<string, string>;
}

/** Consecutive turns of one run. */
export interface RunPiece extends Pick<ChainRun, 'turns' | 'attempts'> {
  readonly run: Pick<ChainRun, 'runId' | 'closed' | 'closedAt'>;
  /** In a run's last piece: the stored head over the chain's facts; null in others. */
  readonly head: string | null;
}

/** A type, since the SDK requires an index signature. */
export type ArchiveSinks = {
  /** Notifies the worker that this run closes now, so that it archives the run. */
  longhandArchive: { ending: () => void };
};
