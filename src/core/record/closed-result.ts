/** What a chain came to, for whoever has its facts and how its run closed: as it says itself, or, where it had no say, as the server does. */

import type { TurnFoldResult } from '../engine/fold-turns.js';
import { type ChainResult, toChainResult, toCloseResult } from '../engine/result.js';
import type { ChainState } from '../model/state.js';
import { describeFlight } from '../state/stop.js';
import type { ChainRun, CloseStatus } from './chain-file.js';

export interface ClosedChain {
  readonly chain: { readonly state: ChainState };
  readonly closed: CloseStatus | null;
  /** Milliseconds since 1970. */
  readonly closedAt: number | null;
}

export function computeClosedResult({ chain, closed, closedAt }: ClosedChain): ChainResult {
  const result = toChainResult(chain.state);
  const hadItsSay = closed === 'completed' || closed === 'failed' || closed === 'canceled';
  if (hadItsSay && chain.state.stop !== null) return result;
  return {
    ...result,
    outcome: 'terminated',
    success: false,
    answer: null,
    partial: null,
    reasonCode: null,
    reason: describeTermination(chain.state, closed),
    endedAt: new Date(closedAt ?? chain.state.now).toISOString(),
  };
}

function describeTermination(state: ChainState, closed: CloseStatus | null): string {
  const during = describeFlight(state);
  const how = closed === 'timedOut' ? "Temporal's own timeout ended it" : 'It was terminated in Temporal';
  return `${how}${during === null ? '' : ` during ${during}`}.`;
}

/**
 * A fault ends a chain, and the chain's close says so. Facts that meet a fault and were closed otherwise are no chain's.
 *
 * @throws the fault
 */
export function checkFaults(
  { chain, turns }: TurnFoldResult,
  last: Pick<ChainRun, 'closed' | 'result'> | undefined,
): void {
  const faulty = turns.find((turn) => 'fault' in turn);
  if (faulty === undefined) return;
  const said = last?.result?.reason === toCloseResult(chain.state).reason;
  if (!said && last?.closed !== 'canceled') throw faulty.fault;
}
