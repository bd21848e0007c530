/**
 * A sub-chain as it stays with the call that began it, for readers. What the chain itself keeps of it (`Child`) is gone
 * with its step.
 */

import type { Charged } from './child.js';
import type { Outcome } from './outcome.js';

export interface BegunChain {
  readonly chainId: string;
  readonly agent: string;
  readonly task: string;
  /** Milliseconds since 1970. */
  readonly begunAt: number;
  /** Null while its parent knows of no end. */
  readonly ended: EndedChain | null;
}

export interface EndedChain {
  readonly at: number;
  /** `terminated` also where it said nothing; `not_begun` where the server did not start it. */
  readonly outcome: Outcome | 'terminated' | 'not_begun';
  /** Null where its parent was not told. */
  readonly steps: number | null;
  /** What it and all below it were charged; null where its parent was not told. */
  readonly charged: Charged | null;
}
