/**
 * L6 for a tree of chains: one budget, whatever fails in between.
 *
 * 1. What a sub-chain may use is taken from its parent's rest before it is begun, and held until it has ended.
 * 2. A sub-chain's limits are never above what is held for it, and nobody can raise them above.
 * 3. When it has ended its parent is charged what it and all below it were charged, and the rest comes back; the whole of
 *    what was held, where nobody knows or what is said cannot be true.
 * 4. Time is worked, not waited: sub-chains that run at once take their parent as long as the longest of them.
 */

import { isCount } from '../lib/check-value.js';
import type { AgentSnapshot, Price } from '../model/agent.js';
import { type Child, type ChildCharge, hasEnded } from '../model/child.js';
import { defaults } from '../model/defaults.js';
import type { Delegation } from '../model/delegation.js';
import type { Limits } from '../model/limits.js';
import type { Lineage, Share } from '../model/lineage.js';
import type { ChainState } from '../model/state.js';
import {
  addUsage,
  countTotalTokens,
  isUsage,
  maxContextTokens,
  noUsage,
  roundUsd,
  usageMargin,
} from '../model/usage.js';
import { computeWorkedMs, listCalls } from './flight.js';

/** Tokens with which a chain can take a step: its prompt, an answer, and what is kept for summing up. */
const minStepTokens = 8 * defaults.minTokens;

/** With fewer it could not even begin. */
const minStartTokens = 2 * defaults.minTokens;

/** Of `tokens` and `usd`, what is used and what is held for others. */
export interface BudgetUse {
  readonly tokens: number;
  /** Null where no cost is counted. */
  readonly usd: number | null;
}

/** What the chain itself was charged, and all below it that have ended. */
export function computeTotalUse({
  charged,
  subChainTotals,
}: Pick<ChainState, 'charged' | 'subChainTotals'>): BudgetUse {
  return { tokens: charged.tokens + subChainTotals.tokens, usd: addUsd(charged.usd, subChainTotals.usd) };
}

/** Invariant 1: what no other may use. */
export function computeCommittedUse(state: ChainState): BudgetUse {
  const used = computeTotalUse(state);
  const shares = listOpenShares(state);
  if (shares.length === 0) return used;
  return {
    tokens: shares.reduce((sum, { tokens }) => sum + tokens, used.tokens),
    usd: shares.reduce((sum, share) => addUsd(sum, share.usd), used.usd),
  };
}

/** The shares of the sub-chains that have not been settled. */
export function listOpenShares(state: Pick<ChainState, 'flight'>): readonly Share[] {
  return listCalls(state).flatMap(({ children = [] }) =>
    children.flatMap(({ share }) => (share === null ? [] : [share])),
  );
}

/** Chains that were begun below, those that they may still begin included. */
export function countCommittedChains(state: ChainState): number {
  return listOpenShares(state).reduce((sum, { chains }) => sum + 1 + chains, state.subChainTotals.chains);
}

/**
 * An equal part of what is left, for one of several, though not less than a step takes: many then begin one after the
 * other, as something comes back. Null where there is too little now.
 *
 * @param among how many are still to be given a part
 */
export function computeChildShare(
  state: ChainState,
  agent: AgentSnapshot,
  wanted: Delegation,
  among: number,
): Share | null {
  const { limits } = agent;
  const used = computeCommittedUse(state);
  const kept = computeClosingReserve(state, agent);
  const alone = listOpenShares(state).length === 0;
  const tokens = computePart(
    limits.tokens - used.tokens - kept.tokens,
    among,
    alone ? minStartTokens : minStepTokens,
    minStepTokens,
  );
  const left = limits.costUsd === null ? null : limits.costUsd - (used.usd ?? 0) - (kept.usd ?? 0);
  const usd = left === null ? null : computePart(left, among, alone ? 0 : computeMinUsd(agent), computeMinUsd(agent));
  const chains = (limits.chains ?? defaults.chains) - countCommittedChains(state);
  const timeMs = Math.min(wanted.limits.timeMs ?? Number.POSITIVE_INFINITY, computeTimeLeft(state, agent));
  if (tokens <= 0 || (usd ?? 1) <= 0 || chains < 1 || timeMs < 1) return null;
  return {
    tokens: Math.min(wanted.limits.tokens ?? Number.POSITIVE_INFINITY, Math.floor(tokens)),
    usd: chooseSmaller(wanted.limits.costUsd ?? null, usd === null ? null : floorUsd(usd)),
    timeMs,
    chains: Math.max(0, Math.floor((chains - among) / among)),
  };
}

/** 0 where there is less left than `enough`. */
function computePart(left: number, among: number, enough: number, usual: number): number {
  return left < enough ? 0 : Math.min(left, Math.max(left / among, usual));
}

/** As if the sub-chain's model cost what the chain's own does: its price is not known yet. */
function computeMinUsd({ model: { price } }: AgentSnapshot): number {
  return price === null ? 0 : computeMaxCost(minStepTokens - defaults.minTokens, defaults.minTokens, price);
}

/** The model is to be asked once more, with what comes back, and to sum up. */
function computeClosingReserve(state: ChainState, { model, maxObservationTokens }: AgentSnapshot): BudgetUse {
  const { context } = state;
  const answers = listCalls(state).filter(({ children }) => children !== undefined).length * maxObservationTokens;
  const input = context.tokens + context.newBytes + answers;
  const tokens = 2 * (input + defaults.minTokens);
  if (model.price === null) return { tokens, usd: null };
  return { tokens, usd: 2 * computeMaxCost(input, defaults.minTokens, model.price) };
}

function computeMaxCost(input: number, output: number, price: Price): number {
  return roundUsd(input * Math.max(price.input, price.cacheWrite) + output * price.output);
}

/** A chain may take longer than its limit to sum up; that too is to lie inside of its parent's. */
function computeTimeLeft(state: ChainState, { limits }: AgentSnapshot): number {
  const left = limits.timeMs - computeWorkedMs(state);
  return Math.floor(Math.max(left / 2, left - defaults.closingMs - defaults.graceMs));
}

/** Invariant 2. */
export function capLimits(limits: Limits, { share }: Pick<Lineage, 'share'>): Limits {
  return {
    ...limits,
    tokens: Math.min(limits.tokens, share.tokens),
    costUsd: chooseSmaller(limits.costUsd, share.usd),
    timeMs: Math.min(limits.timeMs, share.timeMs),
    ...(limits.chains === undefined ? {} : { chains: Math.min(limits.chains, share.chains) }),
  };
}

/** Invariant 3. @param charged null where nobody knows */
export function settleChild(state: ChainState, child: Child, charged: ChildCharge | null): ChainState {
  const { share, start } = child;
  if (share === null || start === null || hasEnded(child)) return state;
  const told = charged !== null && isPlausible(charged, share) ? charged : toFullCharge(share, state.now - start.at);
  const delegated = {
    chains: state.subChainTotals.chains + told.chains,
    tokens: state.subChainTotals.tokens + told.tokens,
    // Where dollars are counted, tokens without any were not told of in full.
    usd: addUsd(state.subChainTotals.usd, told.usd ?? (told.tokens > 0 ? share.usd : null)),
    usage: addUsage(state.subChainTotals.usage, told.usage),
  };
  return addWorkedTime(
    { ...state, subChainTotals: delegated },
    start.workedMs + Math.min(told.timeMs, state.now - start.at),
  );
}

/** What a sub-chain closes with anybody may have written; one call may take it above its share, and no more. */
function isPlausible({ tokens, usd, timeMs, chains, usage }: ChildCharge, share: Share): boolean {
  const most = usageMargin * share.tokens + maxContextTokens;
  return (
    [tokens, timeMs, chains].every(isCount) &&
    isUsage(usage) &&
    tokens <= most &&
    countTotalTokens(usage) <= most &&
    chains >= 1 &&
    (usd === null || (Number.isFinite(usd) && usd >= 0))
  );
}

function toFullCharge({ tokens, usd, timeMs, chains }: Share, sinceMs: number): ChildCharge {
  return { tokens, usd, timeMs: Math.min(timeMs, sinceMs), chains: 1 + chains, usage: noUsage };
}

/** Invariant 4: the clock has stood still meanwhile, unless something else was done. */
function addWorkedTime(state: ChainState, least: number): ChainState {
  const missing = least - computeWorkedMs(state);
  return missing <= 0 ? state : { ...state, waitingTime: { ...state.waitingTime, ms: state.waitingTime.ms - missing } };
}

/** What a chain as it stands was charged, with all that it still holds: it may be read when nobody settles it any more. */
export function computeCharge(state: ChainState): ChildCharge {
  const { flight, subChainTotals, usage } = state;
  const inFlight = flight.kind === 'model' ? flight.reservation : null;
  const all = computeCommittedUse(state);
  return {
    tokens: all.tokens + (inFlight === null ? 0 : inFlight.inputTokens + inFlight.outputTokens),
    usd: addUsd(all.usd, inFlight?.usd ?? null),
    timeMs: Math.max(0, computeWorkedMs(state)),
    chains: 1 + countCommittedChains(state),
    usage: addUsage(usage, subChainTotals.usage),
  };
}

function addUsd(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : roundUsd(a + b);
}

/** The smaller one; what is null sets no limit. */
function chooseSmaller(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}

/** Parts of a sum are never more than the sum. */
function floorUsd(usd: number): number {
  return Math.floor(usd * 1e10) / 1e10;
}
