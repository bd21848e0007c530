/**
 * The sub-chains of a call as a reader knows them: from the parent's facts alone, or besides from a look into their own
 * histories. What was not looked into is told as far as the parent was told of it. And each in a few words, the same wherever
 * people see it.
 */

import { formatCount, formatUsd } from '../lib/display.js';
import type { Call } from '../model/chain.js';
import type { StartedChain, SubChainEnd } from '../model/child.js';
import type { ChainState } from '../model/state.js';
import { roundUsd } from '../model/usage.js';
import { getChainStatus } from '../state/due-requests.js';
import { listCalls } from '../state/flight.js';
import type { Reasoning, Spending, SubChain, SubChainState } from './reasoning.js';

/** A look into a sub-chain: how far it has come, and all of it where it was opened. */
export type SubChainProgress = Pick<SubChain, 'state' | 'outcome' | 'steps' | 'own' | 'whole' | 'chain'>;

export interface SubChainContext {
  /** What was seen of sub-chains in their own histories, by their ids. */
  readonly subChainProgress: ReadonlyMap<string, SubChainProgress>;
  /** Whether the chain that began them has ended. */
  readonly parentEnded: boolean;
}

/** Those that were begun, and then those that wait to be. */
export function listSubChains(
  { id, chains = [] }: Call,
  state: ChainState,
  { subChainProgress, parentEnded }: SubChainContext,
): readonly SubChain[] {
  const begun = chains.map((chain): SubChain => {
    const { chainId, agent, task } = chain;
    return { chainId, agent, task, ...toKnownProgress(chain, parentEnded), ...subChainProgress.get(chainId) };
  });
  return [...begun, ...listQueued(state, id, begun)];
}

function toKnownProgress({ end }: StartedChain, over: boolean): SubChainProgress {
  if (end !== null) return toEndedProgress(end);
  return over ? { ...unknownProgress, state: 'abandoned' } : startedProgress;
}

/** What a parent knows of a sub-chain that has ended. */
export function toEndedProgress({ outcome, steps, charged }: SubChainEnd): SubChainProgress {
  if (outcome === 'not_begun') return { ...unknownProgress, state: 'not_begun' };
  const whole = charged === null ? null : { chains: charged.chains, tokens: charged.tokens, costUsd: charged.usd };
  return { state: toEndState(outcome), outcome, steps, own: whole?.chains === 1 ? whole : null, whole, chain: null };
}

const unknownProgress = { outcome: null, steps: null, own: null, whole: null, chain: null } as const;

export const startedProgress: SubChainProgress = { ...unknownProgress, state: 'running' };

function toEndState(outcome: NonNullable<Reasoning['outcome']>): 'completed' | 'failed' {
  return outcome === 'success' || outcome === 'custom' ? 'completed' : 'failed';
}

/** Those that wait for their turn, or for the budget that others give back. */
function listQueued(state: ChainState, id: string, begun: readonly SubChain[]): readonly SubChain[] {
  const children = listCalls(state).find((call) => call.id === id)?.children ?? [];
  return children.flatMap(({ chainId, progress }): SubChain[] => {
    if (progress !== 'queued' || begun.some((each) => each.chainId === chainId)) return [];
    return [{ ...unknownProgress, chainId, agent: '', task: '', state: 'queued' }];
  });
}

/** What the history of a sub-chain says. */
interface SubChainHistory {
  readonly state: ChainState;
  /** Null while it runs. */
  readonly outcome: Reasoning['outcome'];
  /** Its own, in so far as they were looked at. */
  readonly below: readonly SubChain[];
  /** All of it, where it was opened. */
  readonly chain: Reasoning | null;
}

export function toSubChainProgress({ state, outcome, below, chain }: SubChainHistory): SubChainProgress {
  const own: Spending = { chains: 1, tokens: state.charged.tokens, costUsd: state.charged.usd };
  return {
    state: outcome === null ? toOpenState(state, below) : toEndState(outcome),
    outcome,
    steps: state.steps,
    own,
    whole: sumSpending([own, ...below.flatMap(({ whole }) => whole ?? [])]),
    chain,
  };
}

/** Who waits for a chain that waits for a person waits for that person. */
function toOpenState(state: ChainState, below: readonly SubChain[]): SubChainState {
  const status = getChainStatus(state);
  return status === 'running' && below.some((each) => each.state === 'waiting') ? 'waiting' : status;
}

/** What several have spent; null where none of them had a price. */
export function sumSpending(spent: readonly Spending[]): Spending {
  return spent.reduce(
    (sum, { chains, tokens, costUsd }) => ({
      chains: sum.chains + chains,
      tokens: sum.tokens + tokens,
      costUsd: costUsd === null ? sum.costUsd : roundUsd((sum.costUsd ?? 0) + costUsd),
    }),
    { chains: 0, tokens: 0, costUsd: null } as Spending,
  );
}

const stateLabels: { readonly [state in SubChainState]: string } = {
  queued: 'queued',
  running: 'running',
  waiting: 'waits for a person',
  paused: 'paused',
  completed: 'completed',
  failed: 'failed',
  abandoned: 'left behind',
  not_begun: 'not begun',
};

export function formatSubChainState({ state, outcome }: Pick<SubChain, 'state' | 'outcome'>): string {
  return outcome ?? stateLabels[state];
}

/** `success · 3 steps · $0.02 · $0.05 with 2 sub-chains` */
export function formatSubChain(chain: Pick<SubChain, 'state' | 'outcome' | 'steps' | 'own' | 'whole'>): string {
  return [formatSubChainState(chain), ...formatTotals(chain)].join(' · ');
}

/** Its steps, what it took, and what that is with all below it; as far as each is known. */
export function formatTotals({ steps, own, whole }: Pick<SubChain, 'steps' | 'own' | 'whole'>): readonly string[] {
  return [
    ...(steps === null ? [] : [`${formatCount(steps)} ${steps === 1 ? 'step' : 'steps'}`]),
    ...(own === null ? [] : [formatChainSpending(own)]),
    ...(whole === null || whole.chains === 1
      ? []
      : [`${formatChainSpending(whole)} with ${formatSubChainCount(whole.chains - 1)}`]),
  ];
}

/** @param chains that were begun below */
export function formatSubChainCount(chains: number): string {
  return `${formatCount(chains)} ${chains === 1 ? 'sub-chain' : 'sub-chains'}`;
}

/** In money, or in tokens where there is no price. */
export function formatChainSpending({ tokens, costUsd }: Spending): string {
  return costUsd === null ? `${formatCount(tokens)} tokens` : formatUsd(costUsd);
}
