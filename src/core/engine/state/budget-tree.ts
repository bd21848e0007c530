/**
 * L6 for a tree of chains: all chains of a tree share the root's budget, whichever of them fail.
 *
 * 1. A sub-chain's share is taken from its parent's budget before it starts, and held until it has ended.
 * 2. The limits of a sub-chain never exceed its share, and cannot be raised above it.
 * 3. At its end, the parent is charged what it and all chains below it were charged, and the rest of the share is released.
 *    Where that charge is unknown or implausible, the whole share is charged.
 * 4. Time counts as worked, not waited: sub-chains that run at the same time cost their parent the time of the longest.
 */
import { check } from '../../lib/index.js';
import {
  type AgentSnapshot,
  addUsage,
  addUsd,
  type ChainState,
  type Child,
  type ChildCharge,
  changeState,
  computeMaxCost,
  countTotalTokens,
  type Delegation,
  defaults,
  hasEnded,
  isUsage,
  type Limits,
  type Lineage,
  maxContextTokens,
  noUsage,
  type PendingCall,
  type Reservation,
  type Share,
  usageMargin,
} from '../../model/index.js';
import { findCallCost, listCallReservations } from './call-payment.js';
import { computeWorkedMs, listCalls } from './flight.js';
import { boundCall } from './request-bound.js';
import { getHighestPrice, listModels } from './route.js';

/** Tokens for one step: the prompt, an answer, and the reservation for a summary. */
const minStepTokens = 8 * defaults.minTokens;

/** With fewer tokens a chain cannot start. */
const minStartTokens = 2 * defaults.minTokens;

/** Tokens and US dollars that are charged or held. */
export interface BudgetUse {
  readonly tokens: number;
  /** Null if no cost is counted. */
  readonly usd: number | null;
}

/** Returns the charge of the chain itself and of all ended chains below it. */
export function computeTotalUse({
  charged,
  subChainTotals,
}: Pick<ChainState, 'charged' | 'subChainTotals'>): BudgetUse {
  return { tokens: charged.tokens + subChainTotals.tokens, usd: addUsd(charged.usd, subChainTotals.usd) };
}

/** Returns what is charged, or held for open sub-chains (invariant 1) and for calls that cost (call-charges.ts). */
export function computeCommittedUse(state: ChainState): BudgetUse {
  const used = computeTotalUse(state);
  const budgetUses: readonly BudgetUse[] = [...listOpenShares(state), ...listCallReservations(state).map(toBudgetUse)];
  if (budgetUses.length === 0) return used;
  return {
    tokens: budgetUses.reduce((sum, { tokens }) => sum + tokens, used.tokens),
    usd: budgetUses.reduce((sum, { usd }) => addUsd(sum, usd), used.usd),
  };
}

function toBudgetUse({ inputTokens, outputTokens, usd }: Reservation): BudgetUse {
  return { tokens: inputTokens + outputTokens, usd };
}

/** Returns whether calls or sub-chains hold budget that they may return. */
export function isBudgetHeld(state: ChainState): boolean {
  return listOpenShares(state).length > 0 || listCallReservations(state).length > 0;
}

/** Returns what the limits leave for calls of the step: two more model calls are kept. Negative where less is left. */
export function computeBudgetLeft(state: ChainState, agent: AgentSnapshot): BudgetUse {
  const { limits } = agent;
  const used = computeCommittedUse(state);
  const closingReserve = computeClosingReserve(state, agent);
  return {
    tokens: limits.tokens - used.tokens - closingReserve.tokens,
    usd: limits.costUsd === null ? null : limits.costUsd - (used.usd ?? 0) - (closingReserve.usd ?? 0),
  };
}

/** Returns the shares of sub-chains that are not settled. */
export function listOpenShares(state: Pick<ChainState, 'flight'>): readonly Share[] {
  return listCalls(state).flatMap(({ children = [] }) =>
    children.flatMap(({ share }) => (share === null ? [] : [share])),
  );
}

/** Returns the number of chains started below, with those that open sub-chains may still start. */
export function countCommittedChains(state: ChainState): number {
  return listOpenShares(state).reduce((sum, { chains }) => sum + 1 + chains, state.subChainTotals.chains);
}

/**
 * Computes the share of one of several sub-chains: an equal part of what is left, though at least enough for a step. With
 * many sub-chains, some therefore wait until others release budget. Null where too little is left now.
 *
 * @param among number of sub-chains that still need a share
 */
export function computeChildShare(
  state: ChainState,
  agent: AgentSnapshot,
  delegation: Delegation,
  among: number,
): Share | null {
  const { limits } = agent;
  const left = computeBudgetLeft(state, agent);
  const isOnlyOpen = !isBudgetHeld(state);
  const tokens = computePart(left.tokens, among, isOnlyOpen ? minStartTokens : minStepTokens, minStepTokens);
  const least = computeMinUsd(agent);
  const usd = left.usd === null ? null : computePart(left.usd, among, isOnlyOpen ? 0 : least, least);
  const chains = (limits.chains ?? defaults.maxSubChains) - countCommittedChains(state);
  const timeMs = Math.min(delegation.limits.timeMs ?? Number.POSITIVE_INFINITY, computeTimeLeft(state, agent));
  if (tokens <= 0 || (usd ?? 1) <= 0 || chains < 1 || timeMs < 1) return null;
  return {
    tokens: Math.min(delegation.limits.tokens ?? Number.POSITIVE_INFINITY, Math.floor(tokens)),
    usd: chooseSmaller(delegation.limits.costUsd ?? null, usd === null ? null : floorUsd(usd)),
    timeMs,
    chains: Math.max(0, Math.floor((chains - among) / among)),
  };
}

/** Returns 0 where less than `least` is left. */
function computePart(left: number, among: number, least: number, preferred: number): number {
  return left < least ? 0 : Math.min(left, Math.max(left / among, preferred));
}

/** Assumes the chain's own price: the price of the sub-chain's model is not known yet. */
function computeMinUsd(agent: AgentSnapshot): number {
  const price = getHighestPrice(listModels(agent));
  return computeMaxCost(price, minStepTokens - defaults.minTokens, defaults.minTokens) ?? 0;
}

/** Reserves two more model calls for the parent: one with the results, one for a summary. */
function computeClosingReserve(state: ChainState, agent: AgentSnapshot): BudgetUse {
  const results = listCalls(state).filter((call) => hasLongResult(agent, call)).length * agent.maxObservationTokens;
  const calls = (['step', 'closing'] as const).map((purpose): BudgetUse => {
    const { inputTokens, price } = boundCall(changeState(state, { tried: [] }), agent, purpose);
    const input = inputTokens + results;
    return { tokens: input + defaults.minTokens, usd: computeMaxCost(price, input, defaults.minTokens) };
  });
  return calls.reduce((sum, { tokens, usd }) => ({ tokens: sum.tokens + tokens, usd: addUsd(sum.usd, usd) }));
}

/** Returns whether the result of a call may fill an observation. */
function hasLongResult(agent: AgentSnapshot, call: PendingCall): boolean {
  return call.children !== undefined || findCallCost(agent, call) !== undefined;
}

/** Leaves time for a summary, which may exceed the sub-chain's limit but not its parent's. */
function computeTimeLeft(state: ChainState, { limits }: AgentSnapshot): number {
  const left = limits.timeMs - computeWorkedMs(state);
  return Math.floor(Math.max(left / 2, left - defaults.closingMs - defaults.graceMs));
}

/** Caps the limits of a sub-chain by its share (invariant 2). */
export function capLimits(limits: Limits, { share }: Pick<Lineage, 'share'>): Limits {
  return {
    ...limits,
    tokens: Math.min(limits.tokens, share.tokens),
    costUsd: chooseSmaller(limits.costUsd, share.usd),
    timeMs: Math.min(limits.timeMs, share.timeMs),
    ...(limits.chains === undefined ? {} : { chains: Math.min(limits.chains, share.chains) }),
  };
}

/** Charges an ended sub-chain (invariant 3). @param charged null where unknown */
export function settleChild(state: ChainState, child: Child, charged: ChildCharge | null): ChainState {
  const { share, start } = child;
  if (share === null || start === null || hasEnded(child)) return state;
  const charge = charged !== null && isPlausible(charged, share) ? charged : toFullCharge(share, state.now - start.at);
  const totals = {
    chains: state.subChainTotals.chains + charge.chains,
    tokens: state.subChainTotals.tokens + charge.tokens,
    // Tokens without dollars, where dollars are counted, are an incomplete report.
    usd: addUsd(state.subChainTotals.usd, charge.usd ?? (charge.tokens > 0 ? share.usd : null)),
    unpricedTokens: state.subChainTotals.unpricedTokens + (charge.unpricedTokens ?? 0),
    usage: addUsage(state.subChainTotals.usage, charge.usage),
  };
  return addWorkedTime(
    changeState(state, { subChainTotals: totals }),
    start.workedMs + Math.min(charge.timeMs, state.now - start.at),
  );
}

/** A close is not trusted. A call may exceed the share by the margin of one model call, but not more. */
function isPlausible({ tokens, usd, unpricedTokens = 0, timeMs, chains, usage }: ChildCharge, share: Share): boolean {
  const max = usageMargin * share.tokens + maxContextTokens;
  return (
    [tokens, unpricedTokens, timeMs, chains].every(check.count.is) &&
    isUsage(usage) &&
    unpricedTokens <= tokens &&
    tokens <= max &&
    countTotalTokens(usage) <= max &&
    chains >= 1 &&
    (usd === null || (Number.isFinite(usd) && usd >= 0))
  );
}

function toFullCharge({ tokens, usd, timeMs, chains }: Share, sinceMs: number): ChildCharge {
  return { tokens, usd, timeMs: Math.min(timeMs, sinceMs), chains: 1 + chains, usage: noUsage };
}

/** Invariant 4: the parent's clock was stopped in the meantime, unless other operations ran. */
function addWorkedTime(state: ChainState, least: number): ChainState {
  const missing = least - computeWorkedMs(state);
  return missing <= 0
    ? state
    : changeState(state, {
        waitingTime: { ...state.waitingTime, uncountedMs: state.waitingTime.uncountedMs - missing },
      });
}

/** Returns the charge of a chain in its current state, with all that it holds: nothing may settle it later. */
export function computeCharge(state: ChainState): ChildCharge {
  const { flight, subChainTotals, usage } = state;
  const inFlight = flight.kind === 'model' ? flight.reservation : null;
  const all = computeCommittedUse(state);
  const reservedTokens = inFlight === null ? 0 : inFlight.inputTokens + inFlight.outputTokens;
  const unpriced = state.unpricedTokens + subChainTotals.unpricedTokens + (inFlight?.usd === null ? reservedTokens : 0);
  return {
    tokens: all.tokens + reservedTokens,
    usd: addUsd(all.usd, inFlight?.usd ?? null),
    ...(unpriced === 0 ? {} : { unpricedTokens: unpriced }),
    timeMs: Math.max(0, computeWorkedMs(state)),
    chains: 1 + countCommittedChains(state),
    usage: addUsage(usage, subChainTotals.usage),
  };
}

/** Returns the smaller amount; null sets no limit. */
function chooseSmaller(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}

/** Rounds down, so that parts never exceed their sum. */
function floorUsd(usd: number): number {
  return Math.floor(usd * 1e10) / 1e10;
}
