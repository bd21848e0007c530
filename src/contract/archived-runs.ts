/** Where readers find the runs of a chain that the server may have forgotten. */

import type { ChainRun } from '../core/chain-file.js';

/** Of one namespace. */
export interface ArchivedRuns {
  /** As it was when it closed; null for one that is not there. @throws Error when the archive is away, or the run damaged */
  readonly run: (chainId: string, runId: string) => Promise<ChainRun | null>;
  /** The last of a chain's runs that are there. @throws Error as `run` */
  readonly lastRun: (chainId: string) => Promise<ChainRun | null>;
}
