/**
 * How much of its limits a chain has used, and the notices for readers at 50, 80 and 95 % of one.
 *
 * A notice compares the shares before and after a fact. So nothing is stored, no timer is needed, and each share of a limit has
 * one notice. A raised limit is another limit: its shares are noticed again. A limit that is used up has no notice: it ends the
 * chain, unless the chain ends by itself.
 */

import type { ChainState, LimitUsage } from '../../model/index.js';
import { type Advance, emit, unchanged } from './advance.js';
import { computeTotalUse, countCommittedChains } from './budget-tree.js';
import { createNoticeEntry } from './entry.js';
import { computeWorkedMs } from './flight.js';
import { countOwnSteps } from './fork.js';
import { formatLimitUsageNotice } from './notice-text.js';
import { computeWaitUse } from './waits.js';

/** Returns the use of each limit as of `state.now`; empty until the agent is known. */
export function listLimitUsage(state: ChainState): readonly LimitUsage[] {
  const limits = state.agent?.limits;
  if (limits === undefined) return [];
  const repeats = Math.max(state.repetition.steps, state.stall.steps);
  return [
    ...listBudgetUsage(state),
    ...(limits.chains === undefined
      ? []
      : [{ name: 'chains' as const, used: countCommittedChains(state), limit: limits.chains }]),
    ...(limits.waitMs === undefined
      ? []
      : [{ name: 'waitMs' as const, used: computeWaitUse(state), limit: limits.waitMs }]),
    { name: 'stallThreshold', used: repeats, limit: limits.stallThreshold },
  ];
}

/** Returns the use of the limits that a chain approaches step by step. */
function listBudgetUsage(state: ChainState): readonly LimitUsage[] {
  const limits = state.agent?.limits;
  if (limits === undefined) return [];
  const { tokens, usd } = computeTotalUse(state);
  return [
    { name: 'steps', used: countOwnSteps(state), limit: limits.steps },
    { name: 'tokens', used: tokens, limit: limits.tokens },
    ...(limits.costUsd === null ? [] : [{ name: 'costUsd' as const, used: usd ?? 0, limit: limits.costUsd }]),
    { name: 'timeMs', used: Math.max(0, computeWorkedMs(state)), limit: limits.timeMs },
  ];
}

/** Percentages of a limit at which readers get a notice, the highest first, and the whole limit. */
const noticedPercents = [100, 95, 80, 50] as const;

/** Emits a notice for each limit of which a higher share is used than before. A chain that stops has its own notice. */
export function noteLimitUsage(state: ChainState, before: ChainState): Advance {
  if (state.stop !== null) return unchanged(state);
  const noticeable = listBudgetUsage(state).flatMap((usage) => {
    const percent = findPercent(usage);
    return percent > 0 && percent < 100 ? [{ ...usage, percent }] : [];
  });
  if (noticeable.length === 0) return unchanged(state);
  const earlier = new Map(listBudgetUsage(before).map((usage) => [usage.name, findPercent(usage)]));
  const reached = noticeable.filter(({ name, percent }) => percent > (earlier.get(name) ?? 0));
  return emit(
    state,
    ...reached.map((usage) => createNoticeEntry(state, 'limit_usage', formatLimitUsageNotice(usage), { usage })),
  );
}

/** Returns the highest percentage that is reached; 0 for none. */
function findPercent({ used, limit }: LimitUsage): number {
  return noticedPercents.find((percent) => used * 100 >= limit * percent) ?? 0;
}
