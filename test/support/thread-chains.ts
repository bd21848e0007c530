/** Chains of threads as a client reads them, and a source that has them in memory. */

import { ChainNotFoundError } from '../../src/client/errors/errors.js';
import type { RecordedHistory } from '../../src/client/read/recorded-chain.js';
import type { ThreadSource } from '../../src/client/read/thread-source.js';
import { foldRecordedTurns } from '../../src/core/engine/fold-turns.js';
import type { ChainInput } from '../../src/core/model/fact.js';
import { findThreadId, type ThreadRef } from '../../src/core/model/thread.js';
import { ErasedChainError } from '../../src/store/archive/erased-chain-error.js';
import { agentOf, answers, someInput } from './core-builders.js';
import { prepared } from './core-play.js';

/** A chain that answered. */
export function endedWith(input: Partial<ChainInput> = {}, more: Partial<RecordedHistory> = {}): RecordedHistory {
  const play = prepared(agentOf(), { ...someInput, ...input });
  play.replied(answers('All is paid.'));
  const rest = { heads: [], closed: 'completed', closedAt: 9, attempts: new Map(), runs: [], events: null } as const;
  return { chainId: 'chain-1', runId: 'run-1', ...foldRecordedTurns(play.turns), ...rest, ...more };
}

/** A chain with its place, such as `[2, 'chat']` after `chat`, and the time of its start. */
export function chainAt(
  chainId: string,
  startedAt: number,
  input: Partial<ChainInput> = {},
  more: Partial<RecordedHistory> = {},
): RecordedHistory {
  const made = endedWith(input, { chainId, ...more });
  return { ...made, chain: { ...made.chain, state: { ...made.chain.state, chainId, startedAt } } };
}

export const placeIn = (id: string, number: number, follows: string): { readonly thread: ThreadRef } => ({
  thread: { id, number, follows },
});

interface Holdings {
  readonly erased?: readonly string[];
  /** Chains that the list does not have yet. */
  readonly unlisted?: readonly string[];
}

export function sourceOf(
  chains: readonly RecordedHistory[],
  { erased = [], unlisted = [] }: Holdings = {},
): ThreadSource {
  return {
    read: async (chainId) => {
      if (erased.includes(chainId)) return { kind: 'erased', error: new ErasedChainError(chainId, 0, null) };
      const recorded = chains.find((each) => each.chainId === chainId);
      return recorded === undefined
        ? { kind: 'missing', error: new ChainNotFoundError(chainId) }
        : { kind: 'found', recorded };
    },
    list: async (thread) =>
      chains
        .filter(({ chainId, chain }) => findThreadId({ chainId, input: chain.state.input }) === thread)
        .filter(({ chainId }) => !unlisted.includes(chainId))
        .sort((a, b) => b.chain.state.startedAt - a.chain.state.startedAt)
        .map(({ chainId }) => chainId),
  };
}
