/**
 * The sub-chains of a call: from the parent's facts, and from their own histories where these were read. Formats their
 * state and totals for every outlet.
 */

import { getChainStatus, listCalls } from '../engine/index.js';
import { formatCount, formatPlural, formatTotalUsd } from '../lib/index.js';
import {
  addUsd,
  type Call,
  type ChainState,
  type ChildCharge,
  hasAnswer,
  type StartedChain,
  type SubChainEnd,
  toUnpricedTokens,
} from '../model/index.js';
import type { Reasoning, Spending, SubChain, SubChainState } from './reasoning.js';

/** The progress of a sub-chain; with its chain where it was opened. */
export type SubChainProgress = Pick<SubChain, 'state' | 'outcome' | 'steps' | 'own' | 'total' | 'chain'>;

export interface SubChainContext {
  /** Progress that was read from their own histories, by chain id. */
  readonly subChainProgress: ReadonlyMap<string, SubChainProgress>;
  /** Whether the parent has ended. */
  readonly parentEnded: boolean;
}

/** Returns started sub-chains, then queued ones. */
export function listSubChains(
  { id, chains = [] }: Call,
  state: ChainState,
  { subChainProgress, parentEnded }: SubChainContext,
): readonly SubChain[] {
  const startedChains = chains.map((chain): SubChain => {
    const { chainId, agent, task } = chain;
    return { chainId, agent, task, ...toKnownProgress(chain, parentEnded), ...subChainProgress.get(chainId) };
  });
  return [...startedChains, ...listQueued(state, id, startedChains)];
}

function toKnownProgress({ end }: StartedChain, over: boolean): SubChainProgress {
  if (end !== null) return toEndedProgress(end);
  return over ? { ...unknownProgress, state: 'abandoned' } : startedProgress;
}

/** Returns the progress of an ended sub-chain, from its parent's facts. */
export function toEndedProgress({ outcome, steps, charged }: SubChainEnd): SubChainProgress {
  if (outcome === 'not_started') return { ...unknownProgress, state: 'not_started' };
  const total = charged === null ? null : toSpending(charged);
  return { state: toEndState(outcome), outcome, steps, own: total?.chains === 1 ? total : null, total, chain: null };
}

function toSpending({
  chains,
  tokens,
  usd,
  ...charged
}: Pick<ChildCharge, 'chains' | 'tokens' | 'usd' | 'unpricedTokens'>): Spending {
  return { chains, tokens, costUsd: usd, ...toUnpricedTokens(charged) };
}

const unknownProgress = { outcome: null, steps: null, own: null, total: null, chain: null } as const;

export const startedProgress: SubChainProgress = { ...unknownProgress, state: 'running' };

/** Returns the state of an ended chain, by its outcome. */
export function toEndState(outcome: NonNullable<Reasoning['outcome']>): 'completed' | 'failed' {
  return hasAnswer(outcome) ? 'completed' : 'failed';
}

/** Returns sub-chains that wait for their turn or for budget. */
function listQueued(state: ChainState, id: string, subChains: readonly SubChain[]): readonly SubChain[] {
  const children = listCalls(state).find((call) => call.id === id)?.children ?? [];
  return children.flatMap(({ chainId, progress }): SubChain[] => {
    if (progress !== 'queued' || subChains.some((subChain) => subChain.chainId === chainId)) return [];
    return [{ ...unknownProgress, chainId, agent: '', task: '', state: 'queued' }];
  });
}

/** What was read from the history of a sub-chain. */
interface SubChainHistory {
  readonly state: ChainState;
  /** Null while it runs. */
  readonly outcome: Reasoning['outcome'];
  /** Its own sub-chains, as far as they were read. */
  readonly below: readonly SubChain[];
  /** The chain; null if it was not opened. */
  readonly chain: Reasoning | null;
}

export function toSubChainProgress({ state, outcome, below, chain }: SubChainHistory): SubChainProgress {
  const own = toSpending({ chains: 1, ...state.charged, unpricedTokens: state.unpricedTokens });
  return {
    state: outcome === null ? toOpenState(state, below) : toEndState(outcome),
    outcome,
    steps: state.steps,
    own,
    total: sumSpending([own, ...below.flatMap(({ total }) => total ?? [])]),
    chain,
  };
}

/** A chain whose sub-chain waits for a person waits too. */
function toOpenState(state: ChainState, below: readonly SubChain[]): SubChainState {
  const status = getChainStatus(state);
  return status === 'running' && below.some((chain) => chain.state === 'waiting') ? 'waiting' : status;
}

/** Sums spending; the cost is null if no part has a price. */
export function sumSpending(spent: readonly Spending[]): Spending {
  return spent.reduce(
    (sum, { chains, tokens, costUsd, unpricedTokens = 0 }) => ({
      chains: sum.chains + chains,
      tokens: sum.tokens + tokens,
      costUsd: addUsd(sum.costUsd, costUsd),
      ...toUnpricedTokens({ unpricedTokens: (sum.unpricedTokens ?? 0) + unpricedTokens }),
    }),
    { chains: 0, tokens: 0, costUsd: null } as Spending,
  );
}

const stateLabels: { readonly [state in SubChainState]: string } = {
  queued: 'queued',
  running: 'running',
  waiting: 'waits for a person',
  sleeping: 'waits for a time or a signal',
  paused: 'paused',
  completed: 'completed',
  failed: 'failed',
  abandoned: 'abandoned',
  not_started: 'not started',
};

export function formatSubChainState({ state, outcome }: Pick<SubChain, 'state' | 'outcome'>): string {
  return outcome ?? stateLabels[state];
}

/** `success · 3 steps · $0.02 · $0.05 with 2 sub-chains` */
export function formatSubChain(chain: Pick<SubChain, 'state' | 'outcome' | 'steps' | 'own' | 'total'>): string {
  return [formatSubChainState(chain), ...formatTotals(chain)].join(' · ');
}

/** Returns its steps, its spending, and its spending with all sub-chains, as far as known. */
export function formatTotals({ steps, own, total }: Pick<SubChain, 'steps' | 'own' | 'total'>): readonly string[] {
  return [
    ...(steps === null ? [] : [formatPlural(steps, 'step')]),
    ...(own === null ? [] : [formatChainSpending(own)]),
    ...(total === null || total.chains === 1
      ? []
      : [`${formatChainSpending(total)} with ${formatSubChainCount(total.chains - 1)}`]),
  ];
}

/** @param chains the number of sub-chains */
export function formatSubChainCount(chains: number): string {
  return `${formatCount(chains)} ${chains === 1 ? 'sub-chain' : 'sub-chains'}`;
}

/** Formats the cost, or the tokens where there is no price. */
export function formatChainSpending({ tokens, costUsd, unpricedTokens }: Spending): string {
  return costUsd === null ? `${formatCount(tokens)} tokens` : formatTotalUsd(costUsd, unpricedTokens);
}
