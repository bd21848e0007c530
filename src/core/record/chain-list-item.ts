/** A chain in a row of a list: computed from its facts when a run is archived, and again to see whether the row is still theirs. */

import { toWellFormed } from '../lib/json.js';
import type { Chain } from '../model/chain.js';
import type { ChainInput } from '../model/fact.js';
import { findParent, getRootId } from '../model/lineage.js';
import type { CloseStatus } from './chain-file.js';
import { computeClosedResult } from './closed-result.js';

export interface ChainListItem {
  readonly agent: string;
  readonly model: string;
  readonly tenant: string | null;
  readonly user: string | null;
  /** Of its tree; its own id where it is one. */
  readonly root: string;
  readonly parent: string | null;
  /** Null where it went on in another run. */
  readonly outcome: string | null;
  /** With the beginning of its task, and without what it carried of another chain. */
  readonly input: ChainInput | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number | null;
}

export interface ChainListItemSource {
  readonly chainId: string;
  readonly chain: Pick<Chain, 'state'>;
  readonly closed: CloseStatus | null;
  /** Milliseconds since 1970. */
  readonly closedAt: number | null;
}

/** Null for a chain that had not begun. */
export function toChainListItem({ chainId, chain, closed, closedAt }: ChainListItemSource): ChainListItem | null {
  const { state } = chain;
  const { input } = state;
  if (input === null) return null;
  const isOver = closed !== null && closed !== 'continuedAsNew';
  return {
    agent: input.agent,
    model: state.agent?.model.name ?? input.model ?? '',
    tenant: input.tenant,
    user: input.user,
    root: getRootId({ chainId, input }),
    parent: findParent(state)?.chainId ?? null,
    outcome: isOver ? computeClosedResult({ chain, closed, closedAt }).outcome : null,
    input: shortenInput(input),
    startedAt: state.startedAt,
    steps: state.steps,
    tokens: state.charged.tokens,
    costUsd: state.charged.usd,
  };
}

/** Characters of a task that lists know. */
const maxTaskLength = 4_000;

function shortenInput({ origin: _, plan: __, ...input }: ChainInput): ChainInput {
  const { task } = input;
  // The cut may go through a surrogate pair.
  return { ...input, task: task.length <= maxTaskLength ? task : `${toWellFormed(task.slice(0, maxTaskLength))}…` };
}
