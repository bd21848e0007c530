/**
 * The result of a closed chain: the workflow's own, or, where the server ended it, one with the outcome `terminated`.
 */

import {
  type ChainResult,
  describeFlight,
  type TurnFoldResult,
  toChainResult,
  toCloseResult,
  toEndTimes,
} from '../engine/index.js';
import type { ChainState } from '../model/index.js';
import type { ChainRun, CloseStatus } from './chain-file.js';

export interface ClosedChain {
  readonly chain: { readonly state: ChainState };
  readonly closed: CloseStatus | null;
  /** Milliseconds since 1970. */
  readonly closedAt: number | null;
}

/** Null while the chain runs. */
export function toRecordedResult(recorded: ClosedChain): ChainResult | null {
  return recorded.closed === null ? null : computeClosedResult(recorded);
}

export function computeClosedResult({ chain, closed, closedAt }: ClosedChain): ChainResult {
  const result = toChainResult(chain.state);
  const closedItself = closed === 'completed' || closed === 'failed' || closed === 'canceled';
  if (closedItself && chain.state.stop !== null) return result;
  return {
    ...result,
    outcome: 'terminated',
    success: false,
    answer: null,
    partial: null,
    reasonCode: null,
    reason: describeTermination(chain.state, closed),
    ...toEndTimes(chain.state.startedAt, closedAt ?? chain.state.now),
  };
}

function describeTermination(state: ChainState, closed: CloseStatus | null): string {
  const during = describeFlight(state);
  const how = closed === 'timedOut' ? "Temporal's own timeout ended it" : 'It was terminated in Temporal';
  return `${how}${during === null ? '' : ` during ${during}`}.`;
}

/**
 * Throws a fault of the facts that the chain's close does not report. A fault ends a chain, and its close contains it;
 * facts with a fault and another close belong to no chain.
 * @throws the fault
 */
export function checkFaults(
  { chain, turns }: TurnFoldResult,
  last: Pick<ChainRun, 'closed' | 'result'> | undefined,
): void {
  const faulty = turns.find((turn) => 'fault' in turn);
  if (faulty === undefined) return;
  const isReported = last?.result?.reason === toCloseResult(chain.state).reason;
  if (!isReported && last?.closed !== 'canceled') throw faulty.fault;
}
