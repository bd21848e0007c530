/** What a history comes to: as the chain itself says, or, where it had no say, as the server does. */

import { type ChainResult, resultOf } from '../core/result.js';
import type { State } from '../core/state.js';
import { inFlight } from '../core/stop.js';
import type { ReadChain } from './chain-pages.js';

export function resultOfRead({
  chain,
  closed,
  closedAt,
}: Pick<ReadChain, 'chain' | 'closed' | 'closedAt'>): ChainResult {
  const result = resultOf(chain.state);
  const hadItsSay = closed === 'completed' || closed === 'failed' || closed === 'canceled';
  if (hadItsSay && chain.state.stop !== null) return result;
  return {
    ...result,
    outcome: 'terminated',
    success: false,
    answer: null,
    partial: null,
    reason: terminated(chain.state, closed),
    endedAt: new Date(closedAt ?? chain.state.now).toISOString(),
  };
}

function terminated(state: State, closed: ReadChain['closed']): string {
  const during = inFlight(state);
  const how = closed === 'timedOut' ? "Temporal's own timeout ended it" : 'It was terminated in Temporal';
  return `${how}${during === null ? '' : ` during ${during}`}.`;
}
