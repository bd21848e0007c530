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
import { type Charged, type Child, isOver } from '../model/child.js';
import { defaults } from '../model/defaults.js';
import type { Delegation } from '../model/delegation.js';
import type { Limits } from '../model/limits.js';
import type { Lineage, Share } from '../model/lineage.js';
import type { State } from '../model/state.js';
import { addUsage, isUsage, largestContext, margin, noUsage, roundUsd, totalTokens } from '../model/usage.js';
import { callsIn, workedMs } from './flight.js';

/** Tokens with which a chain can take a step: its prompt, an answer, and what is kept for summing up. */
const leastTokens = 8 * defaults.minTokens;

/** With fewer it could not even begin. */
const tooFewTokens = 2 * defaults.minTokens;

/** Of `tokens` and `usd`, what is used and what is held for others. */
export interface Used {
  readonly tokens: number;
  /** Null where no cost is counted. */
  readonly usd: number | null;
}

/** What the chain itself was charged, and all below it that have ended. */
export function usedInAll({ spent, delegated }: Pick<State, 'spent' | 'delegated'>): Used {
  return { tokens: spent.tokens + delegated.tokens, usd: plus(spent.usd, delegated.usd) };
}

/** Invariant 1: what no other may use. */
export function taken(state: State): Used {
  const used = usedInAll(state);
  const shares = heldIn(state);
  if (shares.length === 0) return used;
  return {
    tokens: shares.reduce((sum, { tokens }) => sum + tokens, used.tokens),
    usd: shares.reduce((sum, share) => plus(sum, share.usd), used.usd),
  };
}

/** The shares of the sub-chains that have not been settled. */
export function heldIn(state: Pick<State, 'flight'>): readonly Share[] {
  return callsIn(state).flatMap(({ children = [] }) =>
    children.flatMap(({ share }) => (share === null ? [] : [share])),
  );
}

/** Chains that were begun below, those that they may still begin included. */
export function chainsTaken(state: State): number {
  return heldIn(state).reduce((sum, { chains }) => sum + 1 + chains, state.delegated.chains);
}

/**
 * An equal part of what is left, for one of several, though not less than a step takes: many then begin one after the
 * other, as something comes back. Null where there is too little now.
 *
 * @param among how many are still to be given a part
 */
export function shareFor(state: State, agent: AgentSnapshot, wanted: Delegation, among: number): Share | null {
  const { limits } = agent;
  const used = taken(state);
  const kept = keptFor(state, agent);
  const alone = heldIn(state).length === 0;
  const tokens = partOf(
    limits.tokens - used.tokens - kept.tokens,
    among,
    alone ? tooFewTokens : leastTokens,
    leastTokens,
  );
  const left = limits.costUsd === null ? null : limits.costUsd - (used.usd ?? 0) - (kept.usd ?? 0);
  const usd = left === null ? null : partOf(left, among, alone ? 0 : leastUsd(agent), leastUsd(agent));
  const chains = (limits.chains ?? defaults.chains) - chainsTaken(state);
  const timeMs = Math.min(wanted.limits.timeMs ?? Number.POSITIVE_INFINITY, timeLeft(state, agent));
  if (tokens <= 0 || (usd ?? 1) <= 0 || chains < 1 || timeMs < 1) return null;
  return {
    tokens: Math.min(wanted.limits.tokens ?? Number.POSITIVE_INFINITY, Math.floor(tokens)),
    usd: least(wanted.limits.costUsd ?? null, usd === null ? null : floorUsd(usd)),
    timeMs,
    chains: Math.max(0, Math.floor((chains - among) / among)),
  };
}

/** 0 where there is less left than `enough`. */
function partOf(left: number, among: number, enough: number, usual: number): number {
  return left < enough ? 0 : Math.min(left, Math.max(left / among, usual));
}

/** As if the sub-chain's model cost what the chain's own does: its price is not known yet. */
function leastUsd({ model: { price } }: AgentSnapshot): number {
  return price === null ? 0 : dearest(leastTokens - defaults.minTokens, defaults.minTokens, price);
}

/** The model is to be asked once more, with what comes back, and to sum up. */
function keptFor(state: State, { model, maxObservationTokens }: AgentSnapshot): Used {
  const { context } = state;
  const answers = callsIn(state).filter(({ children }) => children !== undefined).length * maxObservationTokens;
  const input = context.tokens + context.newBytes + answers;
  const tokens = 2 * (input + defaults.minTokens);
  if (model.price === null) return { tokens, usd: null };
  return { tokens, usd: 2 * dearest(input, defaults.minTokens, model.price) };
}

function dearest(input: number, output: number, price: Price): number {
  return roundUsd(input * Math.max(price.input, price.cacheWrite) + output * price.output);
}

/** A chain may take longer than its limit to sum up; that too is to lie inside of its parent's. */
function timeLeft(state: State, { limits }: AgentSnapshot): number {
  const left = limits.timeMs - workedMs(state);
  return Math.floor(Math.max(left / 2, left - defaults.closingMs - defaults.graceMs));
}

/** Invariant 2. */
export function limitsWithin(limits: Limits, { share }: Pick<Lineage, 'share'>): Limits {
  return {
    ...limits,
    tokens: Math.min(limits.tokens, share.tokens),
    costUsd: least(limits.costUsd, share.usd),
    timeMs: Math.min(limits.timeMs, share.timeMs),
    ...(limits.chains === undefined ? {} : { chains: Math.min(limits.chains, share.chains) }),
  };
}

/** Invariant 3. @param charged null where nobody knows */
export function settleChild(state: State, child: Child, charged: Charged | null): State {
  const { share, begun } = child;
  if (share === null || begun === null || isOver(child)) return state;
  const told = charged !== null && isPlausible(charged, share) ? charged : whole(share, state.now - begun.at);
  const delegated = {
    chains: state.delegated.chains + told.chains,
    tokens: state.delegated.tokens + told.tokens,
    // Where dollars are counted, tokens without any were not told of in full.
    usd: plus(state.delegated.usd, told.usd ?? (told.tokens > 0 ? share.usd : null)),
    usage: addUsage(state.delegated.usage, told.usage),
  };
  return countWork({ ...state, delegated }, begun.workedMs + Math.min(told.timeMs, state.now - begun.at));
}

/** What a sub-chain closes with anybody may have written; one call may take it above its share, and no more. */
function isPlausible({ tokens, usd, timeMs, chains, usage }: Charged, share: Share): boolean {
  const most = margin * share.tokens + largestContext;
  return (
    [tokens, timeMs, chains].every(isCount) &&
    isUsage(usage) &&
    tokens <= most &&
    totalTokens(usage) <= most &&
    chains >= 1 &&
    (usd === null || (Number.isFinite(usd) && usd >= 0))
  );
}

function whole({ tokens, usd, timeMs, chains }: Share, sinceMs: number): Charged {
  return { tokens, usd, timeMs: Math.min(timeMs, sinceMs), chains: 1 + chains, usage: noUsage };
}

/** Invariant 4: the clock has stood still meanwhile, unless something else was done. */
function countWork(state: State, least: number): State {
  const missing = least - workedMs(state);
  return missing <= 0 ? state : { ...state, waited: { ...state.waited, ms: state.waited.ms - missing } };
}

/** What a chain as it stands was charged, with all that it still holds: it may be read when nobody settles it any more. */
export function chargedOf(state: State): Charged {
  const { flight, delegated, usage } = state;
  const inFlight = flight.kind === 'model' ? flight.reservation : null;
  const all = taken(state);
  return {
    tokens: all.tokens + (inFlight === null ? 0 : inFlight.inputTokens + inFlight.outputTokens),
    usd: plus(all.usd, inFlight?.usd ?? null),
    timeMs: Math.max(0, workedMs(state)),
    chains: 1 + chainsTaken(state),
    usage: addUsage(usage, delegated.usage),
  };
}

function plus(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : roundUsd(a + b);
}

/** The smaller one; what is null sets no limit. */
function least(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}

/** Parts of a sum are never more than the sum. */
function floorUsd(usd: number): number {
  return Math.floor(usd * 1e10) / 1e10;
}
