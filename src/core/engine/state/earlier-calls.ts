/** Earlier calls that answer an equal one: with a result that may be reused, or because it would fail in the same way. */

import { shorten } from '../../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  changeState,
  isWithoutEffect,
  type PendingCall,
  type ReusableCall,
  type ToolSnapshot,
} from '../../model/index.js';

/** Number of results to remember. Older calls are run again. */
const maxReusableCalls = 256;

/** Number of failures to remember, and characters of each. */
const maxFutileCalls = 32;
const maxMessageLength = 300;

/** Returns whether equal calls of a tool may have the result of an earlier one. */
export function isReusable({ effects, reuse }: Pick<ToolSnapshot, 'effects' | 'reuse'>): boolean {
  return effects === 'pure' || reuse !== undefined;
}

export function findEarlierCall({ reusableCalls, now }: ChainState, key: string): ReusableCall | null {
  return reusableCalls.find((entry) => entry.key === key && !isExpired(entry, now)) ?? null;
}

function isExpired({ until }: ReusableCall, now: number): boolean {
  return typeof until === 'number' && until <= now;
}

/**
 * Returns the calls that may be reused after a step. A call with an effect may change what reads until then, and those of its own
 * step, have read.
 */
export function listReusableCalls(
  { reusableCalls: before, now }: ChainState,
  { tools }: Pick<AgentSnapshot, 'tools'>,
  calls: readonly PendingCall[],
): readonly ReusableCall[] {
  const hasEffect = calls.some(({ effects }) => !isWithoutEffect(effects));
  const fresh = calls
    .filter((call) => call.reusable && call.progress === 'ok')
    .map((call): ReusableCall => {
      const until = toExpiry(tools, call, now);
      return { key: call.key, call: call.id, bytes: call.bytes, ...(until === undefined ? {} : { until }) };
    });
  const added = new Set(fresh.map(({ key }) => key));
  const all = before.filter(({ key }) => !added.has(key)).concat(fresh);
  return (hasEffect ? all.filter(({ until }) => until !== 'effect') : all).slice(-maxReusableCalls);
}

/** A time, `effect`, or undefined: for good. */
function toExpiry(
  tools: readonly ToolSnapshot[],
  { tool: name, endedAt }: PendingCall,
  now: number,
): ReusableCall['until'] {
  const reuse = tools.find((tool) => tool.name === name)?.reuse;
  if (reuse === undefined) return undefined;
  if (reuse === 'until_effect') return 'effect';
  // Another call of the step may have waited for days since.
  return (endedAt ?? now) + reuse.ms;
}

/**
 * Remembers a call that fails again with equal arguments.
 *
 * @param message null for a rejected one
 */
export function rememberFutileCall(state: ChainState, call: string, key: string, message: string | null): ChainState {
  const { futileCalls = [] } = state;
  if (futileCalls.some((futile) => futile.key === key)) return state;
  const added = futileCalls.concat({
    key,
    call,
    message: message === null ? null : shorten(message, maxMessageLength),
  });
  return changeState(state, { futileCalls: added.slice(-maxFutileCalls) });
}

/** Forgets failures after a call had an effect, or a person wrote: an equal call may now succeed. */
export function forgetFutileCalls(state: ChainState): ChainState {
  if (state.futileCalls === undefined) return state;
  const { futileCalls: _, ...rest } = state;
  return rest;
}

/** Returns the failure that an equal call had, and the observation of a call that would fail so; null for any other. */
export function findFutileCall(
  { futileCalls = [] }: ChainState,
  key: string,
): { readonly message: string; readonly text: string } | null {
  const futile = futileCalls.find((earlier) => earlier.key === key);
  if (futile === undefined || futile.message === null) return null;
  const { call, message } = futile;
  return {
    message,
    text: `Not run: it would fail as call ${call} did with the same arguments. ${changeHint}\n${message}`,
  };
}

/** Adds a hint to the rejection of a call that was rejected before. */
export function addRepetitionHint({ futileCalls = [] }: ChainState, key: string, rejection: string): string {
  const earlier = futileCalls.find((futile) => futile.key === key);
  return earlier === undefined
    ? rejection
    : `${rejection}\nThis is the same as call ${earlier.call}, which was rejected too. ${changeHint}`;
}

const changeHint = 'Change the arguments, or try another way.';
