/** A chain in a row of a list: computed from its facts when a run is archived, and again to see whether the row is still theirs. */

import { wellFormed } from '../lib/json.js';
import type { Chain } from '../model/chain.js';
import type { ChainInput } from '../model/fact.js';
import { parentOf, rootOf } from '../model/lineage.js';
import type { Closed } from './chain-file.js';
import { resultOfClosed } from './closed-result.js';

export interface Glance {
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

export interface GlanceSource {
  readonly chainId: string;
  readonly chain: Pick<Chain, 'state'>;
  readonly closed: Closed | null;
  /** Milliseconds since 1970. */
  readonly closedAt: number | null;
}

/** Null for a chain that had not begun. */
export function glanceOf({ chainId, chain, closed, closedAt }: GlanceSource): Glance | null {
  const { state } = chain;
  const { input } = state;
  if (input === null) return null;
  const isOver = closed !== null && closed !== 'continuedAsNew';
  return {
    agent: input.agent,
    model: state.agent?.model.name ?? input.model ?? '',
    tenant: input.tenant,
    user: input.user,
    root: rootOf({ chainId, input }),
    parent: parentOf(state)?.chainId ?? null,
    outcome: isOver ? resultOfClosed({ chain, closed, closedAt }).outcome : null,
    input: listedInput(input),
    startedAt: state.startedAt,
    steps: state.steps,
    tokens: state.spent.tokens,
    costUsd: state.spent.usd,
  };
}

/** Characters of a task that lists know. */
const longestTask = 4_000;

function listedInput({ origin: _, plan: __, ...input }: ChainInput): ChainInput {
  const { task } = input;
  // The cut may go through a surrogate pair.
  return { ...input, task: task.length <= longestTask ? task : `${wellFormed(task.slice(0, longestTask))}…` };
}
