/** How far a chain has come, what it is doing and what it has spent, read from its history. */

import type { Chain } from '../../core/model/chain.js';
import type { Outcome } from '../../core/model/stop-reason.js';
import { inFlight } from '../../core/state/stop.js';
import { readChain } from './read-chain.js';
import { resultOfRead } from './result-of-read.js';
import type { ChainSource } from './source.js';

export interface Description {
  readonly chainId: string;
  readonly runId: string;
  readonly agent: string;
  readonly task: string;
  readonly status: 'running' | 'ended';
  /** Null while it runs. */
  readonly outcome: Outcome | 'terminated' | null;
  /** What it is waiting for, in words; null when nothing. */
  readonly doing: string | null;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly currentScratchpad: string;
  readonly chain: Chain;
}

export async function describe(source: ChainSource): Promise<Description> {
  const read = await readChain(source);
  const { state } = read.chain;
  return {
    chainId: source.chainId,
    runId: read.runId,
    agent: state.input?.agent ?? '',
    task: state.input?.task ?? '',
    status: read.closed === null ? 'running' : 'ended',
    outcome: read.closed === null ? null : resultOfRead(read).outcome,
    doing: read.closed === null ? inFlight(state) : null,
    steps: state.steps,
    tokens: state.spent.tokens,
    costUsd: state.spent.usd,
    currentScratchpad: state.scratchpad,
    chain: read.chain,
  };
}
