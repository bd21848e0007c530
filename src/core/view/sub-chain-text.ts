/** A sub-chain in a few words, the same wherever people see it: what it is at or came to, how far it is, and what it took. */

import { count, usd } from '../lib/display.js';
import type { Spent, SubChain, SubChainState } from './reasoning.js';

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
