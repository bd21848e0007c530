/** A chain as a row of a list: computed from its facts when a run is archived, and again to check the row. */

import { check, toWellFormed } from '../lib/index.js';
import {
  type Chain,
  type ChainInput,
  countTotalTokens,
  findParent,
  findThreadId,
  formatPromptRef,
  getRootId,
  getStrategyName,
} from '../model/index.js';
import type { CloseStatus } from './chain-file.js';
import { computeClosedResult } from './closed-result.js';

export interface ChainListItem {
  readonly agent: string;
  readonly agentVersion: string | null;
  /** The strategy of its agent; null before the agent is prepared. */
  readonly strategy: string | null;
  /** The plan template that it started with; null for none. */
  readonly planTemplate: string | null;
  /** The prompt of its agent, `meteorologist@3f2a9c81d04e`; null for none. */
  readonly prompt: string | null;
  readonly model: string;
  readonly tenant: string | null;
  readonly user: string | null;
  /** Root of its tree; its own id for a root. */
  readonly root: string;
  readonly parent: string | null;
  /** Its thread; null for a sub-chain. */
  readonly thread: string | null;
  /** Null for a run that continued as new. */
  readonly outcome: string | null;
  /** With the start of its task, and without steps and messages of other chains. */
  readonly input: ChainInput | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly steps: number;
  /** Steps of another chain that a fork starts with; included in `steps`. */
  readonly originSteps: number;
  readonly tokens: number;
  /** Tokens charged as reservations, because no plausible usage was reported; included in `tokens`. */
  readonly reservedTokens: number;
  /** The chain's own, without sub-chains. */
  readonly costUsd: number | null;
  /** Tokens of models without a price, whose cost `costUsd` does not contain; included in `tokens`. */
  readonly unpricedTokens: number;
}

export interface ChainListItemSource {
  readonly chainId: string;
  readonly chain: Pick<Chain, 'state'>;
  readonly closed: CloseStatus | null;
  /** Milliseconds since 1970. */
  readonly closedAt: number | null;
}

/** Returns null for a chain without a start. */
export function toChainListItem({ chainId, chain, closed, closedAt }: ChainListItemSource): ChainListItem | null {
  const { state } = chain;
  const { input } = state;
  if (input === null) return null;
  const isOver = closed !== null && closed !== 'continuedAsNew';
  return {
    agent: input.agent,
    agentVersion: state.agent?.version ?? null,
    strategy: state.agent === null ? null : getStrategyName(state.agent.strategy),
    // Another program may have started it.
    planTemplate: check.toTextOrNull(input.plan?.name),
    prompt: state.agent?.prompt === undefined ? null : formatPromptRef(state.agent.prompt),
    model: state.agent?.model.name ?? input.model ?? '',
    tenant: input.tenant,
    user: input.user,
    root: getRootId({ chainId, input }),
    parent: findParent(state)?.chainId ?? null,
    thread: findThreadId({ chainId, input }),
    outcome: isOver ? computeClosedResult({ chain, closed, closedAt }).outcome : null,
    input: shortenInput(input),
    startedAt: state.startedAt,
    steps: state.steps,
    originSteps: state.origin?.steps ?? 0,
    tokens: state.charged.tokens,
    reservedTokens: Math.max(0, state.charged.tokens - countTotalTokens(state.usage)),
    costUsd: state.charged.usd,
    unpricedTokens: state.unpricedTokens,
  };
}

/** Maximum characters of a task in lists. */
const maxTaskLength = 4_000;

function shortenInput({ origin: _, plan: __, earlier: ___, metadata: ____, ...input }: ChainInput): ChainInput {
  const { task } = input;
  // The cut may split a surrogate pair.
  return { ...input, task: task.length <= maxTaskLength ? task : `${toWellFormed(task.slice(0, maxTaskLength))}…` };
}
