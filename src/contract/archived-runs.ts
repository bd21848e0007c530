/** Where readers find the runs of a chain that the server may have forgotten. */

import type { ChainRun } from '../core/chain-file.js';

/** Of one namespace. */
export interface ArchivedRuns {
  /** As it was when it closed; null for one that is not there. @throws Error when the archive is away, or the run damaged */
  readonly run: (chainId: string, runId: string) => Promise<ChainRun | null>;
  /** All of a chain's that are there, the oldest first; null for a chain that is not there. @throws Error as `run` */
  readonly runs: (chainId: string) => Promise<readonly ChainRun[] | null>;
}
