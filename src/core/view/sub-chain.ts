/**
 * The sub-chains of a call as a reader knows them: from the parent's facts alone, or besides from a look into their own
 * histories. What was not looked into is told as far as the parent was told of it. And each in a few words, the same wherever
 * people see it.
 */

import { count, usd } from '../lib/display.js';
import type { Call } from '../model/chain.js';
import type { BegunChain, EndedChain } from '../model/child.js';
import type { State } from '../model/state.js';
import { roundUsd } from '../model/usage.js';
import { statusOf } from '../state/asks-due.js';
import { callsIn } from '../state/flight.js';
import type { Reasoning, Spent, SubChain, SubChainState } from './reasoning.js';

/** A look into a sub-chain: how far it has come, and all of it where it was opened. */
export type Looked = Pick<SubChain, 'state' | 'outcome' | 'steps' | 'own' | 'whole' | 'chain'>;

export interface KnownBelow {
  /** What was seen of sub-chains in their own histories, by their ids. */
  readonly looked: ReadonlyMap<string, Looked>;
  /** Whether the chain that began them has ended. */
  readonly over: boolean;
}

/** Those that were begun, and then those that wait to be. */
export function subChainsOf(
  { id, chains = [] }: Call,
  state: State,
  { looked, over }: KnownBelow,
): readonly SubChain[] {
  const begun = chains.map((chain): SubChain => {
    const { chainId, agent, task } = chain;
    return { chainId, agent, task, ...toldOf(chain, over), ...looked.get(chainId) };
  });
  return [...begun, ...queuedIn(state, id, begun)];
}

function toldOf({ ended }: BegunChain, over: boolean): Looked {
  if (ended !== null) return toldOfEnd(ended);
  return over ? { ...nothingKnown, state: 'abandoned' } : justBegun;
}

/** What a parent knows of a sub-chain that has ended. */
export function toldOfEnd({ outcome, steps, charged }: EndedChain): Looked {
  if (outcome === 'not_begun') return { ...nothingKnown, state: 'not_begun' };
  const whole = charged === null ? null : { chains: charged.chains, tokens: charged.tokens, costUsd: charged.usd };
  return { state: endedAs(outcome), outcome, steps, own: whole?.chains === 1 ? whole : null, whole, chain: null };
}

const nothingKnown = { outcome: null, steps: null, own: null, whole: null, chain: null } as const;

export const justBegun: Looked = { ...nothingKnown, state: 'running' };

function endedAs(outcome: NonNullable<Reasoning['outcome']>): 'completed' | 'failed' {
  return outcome === 'success' || outcome === 'custom' ? 'completed' : 'failed';
}

/** Those that wait for their turn, or for the budget that others give back. */
function queuedIn(state: State, id: string, begun: readonly SubChain[]): readonly SubChain[] {
  const children = callsIn(state).find((call) => call.id === id)?.children ?? [];
  return children.flatMap(({ chainId, progress }): SubChain[] => {
    if (progress !== 'queued' || begun.some((each) => each.chainId === chainId)) return [];
    return [{ ...nothingKnown, chainId, agent: '', task: '', state: 'queued' }];
  });
}

/** What the history of a sub-chain says. */
interface ReadSubChain {
  readonly state: State;
  /** Null while it runs. */
  readonly outcome: Reasoning['outcome'];
  /** Its own, in so far as they were looked at. */
  readonly below: readonly SubChain[];
  /** All of it, where it was opened. */
  readonly chain: Reasoning | null;
}

export function lookInto({ state, outcome, below, chain }: ReadSubChain): Looked {
  const own: Spent = { chains: 1, tokens: state.spent.tokens, costUsd: state.spent.usd };
  return {
    state: outcome === null ? underWay(state, below) : endedAs(outcome),
    outcome,
    steps: state.steps,
    own,
    whole: sumOf([own, ...below.flatMap(({ whole }) => whole ?? [])]),
    chain,
  };
}

/** Who waits for a chain that waits for a person waits for that person. */
function underWay(state: State, below: readonly SubChain[]): SubChainState {
  const status = statusOf(state);
  return status === 'running' && below.some((each) => each.state === 'waiting') ? 'waiting' : status;
}

/** What several have spent; null where none of them had a price. */
export function sumOf(spent: readonly Spent[]): Spent {
  return spent.reduce(
    (sum, { chains, tokens, costUsd }) => ({
      chains: sum.chains + chains,
      tokens: sum.tokens + tokens,
      costUsd: costUsd === null ? sum.costUsd : roundUsd((sum.costUsd ?? 0) + costUsd),
    }),
    { chains: 0, tokens: 0, costUsd: null } as Spent,
  );
}

const words: { readonly [state in SubChainState]: string } = {
  queued: 'queued',
  running: 'running',
  waiting: 'waits for a person',
  paused: 'paused',
  completed: 'completed',
  failed: 'failed',
  abandoned: 'left behind',
  not_begun: 'not begun',
};

export function stateText({ state, outcome }: Pick<SubChain, 'state' | 'outcome'>): string {
  return outcome ?? words[state];
}

/** `success · 3 steps · $0.02 · $0.05 with 2 sub-chains` */
export function subChainText(chain: Pick<SubChain, 'state' | 'outcome' | 'steps' | 'own' | 'whole'>): string {
  return [stateText(chain), ...spentTexts(chain)].join(' · ');
}

/** Its steps, what it took, and what that is with all below it; as far as each is known. */
export function spentTexts({ steps, own, whole }: Pick<SubChain, 'steps' | 'own' | 'whole'>): readonly string[] {
  return [
    ...(steps === null ? [] : [`${count(steps)} ${steps === 1 ? 'step' : 'steps'}`]),
    ...(own === null ? [] : [chargedText(own)]),
    ...(whole === null || whole.chains === 1 ? [] : [`${chargedText(whole)} with ${belowText(whole.chains - 1)}`]),
  ];
}

/** @param chains that were begun below */
export function belowText(chains: number): string {
  return `${count(chains)} ${chains === 1 ? 'sub-chain' : 'sub-chains'}`;
}

/** In money, or in tokens where there is no price. */
export function chargedText({ tokens, costUsd }: Spent): string {
  return costUsd === null ? `${count(tokens)} tokens` : usd(costUsd);
}
