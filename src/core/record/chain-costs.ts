/** What a chain cost, by step and model, and what its limits leave. */

import { computeCommittedUse } from '../engine/index.js';
import {
  type AnsweringModel,
  addUsage,
  type CallRoute,
  type Chain,
  countTotalTokens,
  noUsage,
  pickAnsweringModel,
  roundUsd,
  toUnpricedTokens,
  type Usage,
} from '../model/index.js';

/** Without a provider for usage outside steps. */
export interface CostLine extends Omit<AnsweringModel, 'route'> {
  /** Null for usage outside steps: the summary, failed attempts, paused turns. */
  readonly step: number | null;
  /** Why it was this model. Absent for an agent with one model. */
  readonly route?: Omit<CallRoute, 'reason'>;
  readonly usage: Usage;
  /** Tokens charged beyond the reported usage: a call that reports no usage is charged its reservation. */
  readonly unreported: number;
  readonly costUsd: number | null;
  /** Share of the chain's cost, or of its tokens if the model has no price; 0 to 1. */
  readonly share: number;
}

export interface ChainCosts {
  readonly chainId: string;
  readonly lines: readonly CostLine[];
  readonly total: {
    readonly tokens: number;
    readonly costUsd: number | null;
    readonly unpricedTokens?: number;
    readonly usage: Usage;
  };
  /** What the limits leave; null without such a limit. */
  readonly left: { readonly tokens: number | null; readonly costUsd: number | null };
}

export function computeCosts({ state, steps: allSteps }: Pick<Chain, 'state' | 'steps'>): ChainCosts {
  const { charged: spent, usage, agent, origin } = state;
  // Includes the usage of ended sub-chains and the shares of running ones.
  const committed = computeCommittedUse(state);
  // The first steps of a fork were paid for by its origin.
  const steps = allSteps.filter(({ number }) => number > (origin?.steps ?? 0));
  const share = (tokens: number, costUsd: number | null) => {
    if (spent.usd !== null && spent.usd > 0) return (costUsd ?? 0) / spent.usd;
    return spent.tokens === 0 ? 0 : tokens / spent.tokens;
  };
  const lines = steps.map((costStep): CostLine => {
    const { number: step, usage, charged, costUsd } = costStep;
    const unreported = charged === undefined ? 0 : charged.inputTokens + charged.outputTokens;
    const { route, ...by } = pickAnsweringModel(costStep);
    const called = { ...by, ...(route === undefined ? {} : { route: omitReason(route) }) };
    return { step, ...called, usage, unreported, costUsd, share: share(countTotalTokens(usage) + unreported, costUsd) };
  });
  const inSteps = steps.reduce((sum, step) => addUsage(sum, step.usage), noUsage);
  const outside = subtractUsage(usage, inSteps);
  const unreported = lines.reduce((left, line) => left - line.unreported, spent.tokens - countTotalTokens(usage));
  const restUsd =
    spent.usd === null ? null : roundUsd(spent.usd - steps.reduce((sum, step) => sum + (step.costUsd ?? 0), 0));
  const rest: CostLine = {
    step: null,
    provider: null,
    model: agent === null ? '' : agent.routing === undefined ? agent.model.name : 'several',
    usage: outside,
    unreported,
    costUsd: restUsd,
    share: share(countTotalTokens(outside) + unreported, restUsd),
  };
  const limits = agent?.limits;
  return {
    chainId: state.chainId,
    lines: countTotalTokens(outside) + unreported > 0 ? [...lines, rest] : lines,
    total: { tokens: spent.tokens, costUsd: spent.usd, ...toUnpricedTokens(state), usage },
    left: {
      tokens: limits === undefined ? null : Math.max(0, limits.tokens - committed.tokens),
      costUsd: limits?.costUsd == null ? null : Math.max(0, roundUsd(limits.costUsd - (committed.usd ?? 0))),
    },
  };
}

function subtractUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input - b.input,
    output: a.output - b.output,
    cacheRead: a.cacheRead - b.cacheRead,
    cacheWrite: a.cacheWrite - b.cacheWrite,
    thinking: a.thinking - b.thinking,
  };
}

/** The reason of a policy may quote the task, and costs show no content. */
function omitReason({ reason: _, ...route }: CallRoute): Omit<CallRoute, 'reason'> {
  return route;
}
