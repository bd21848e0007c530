/** Limits of a chain and of one run. L7: every loop has a limit, also where none is configured. */

import * as check from '../lib/check.js';
import { formatExactDuration, formatExactUsd, formatLongDuration, formatPlural } from '../lib/display.js';
import { defaults } from './defaults.js';

export interface Limits {
  /** Replies of the model. */
  readonly steps: number;
  /** Input (cached too) and output tokens over all calls. */
  readonly tokens: number;
  /** US dollars over all calls; null only where the model has no price. */
  readonly costUsd: number | null;
  /** Wall time in milliseconds from the chain's start. */
  readonly timeMs: number;
  /** Steps in a row without progress after which the chain ends. */
  readonly stallThreshold: number;
  /** From 0 to 1: how similar two reads with the same result must be to count as equal. 1: only equal words count. */
  readonly stallSimilarity: number;
  /** Levels of sub-chains below the chain. Absent if the agent does not delegate. */
  readonly depth?: number;
  /** Sub-chains that may be started below it, over all levels. */
  readonly chains?: number;
  /** Milliseconds that the chain's calls may wait for times and signals. Absent if no tool waits. */
  readonly waitMs?: number;
}

/** How much of a limit is used, in the unit of the limit. */
export interface LimitUsage {
  readonly name: Exclude<keyof Limits, 'depth' | 'stallSimilarity'>;
  readonly used: number;
  readonly limit: number;
}

/** Limits to override; absent ones remain unchanged. */
export type PartialLimits = { readonly [K in keyof Limits]?: Limits[K] | undefined } & {
  /** Only in options (`LimitOptions`): they are converted before they are stored. */
  readonly time?: never;
  readonly wait?: never;
};

/** Returns the default step limit: strategies that decide themselves when they are done get more. */
export function getDefaultSteps(strategy: { readonly name: string } | undefined): number {
  return strategy?.name === 'autonomous' || strategy?.name === 'plan' ? defaults.autonomousSteps : defaults.steps;
}

/** Formats limits: `10 steps, 1,000,000 tokens, $1.00, 10 min` */
export function describeLimits({ steps, tokens, costUsd, timeMs }: PartialLimits): string {
  return [
    ...(steps === undefined ? [] : [formatPlural(steps, 'step')]),
    ...(tokens === undefined ? [] : [formatPlural(tokens, 'token')]),
    ...(costUsd === undefined || costUsd === null ? [] : [formatExactUsd(costUsd)]),
    ...(timeMs === undefined ? [] : [formatExactDuration(timeMs)]),
  ].join(', ');
}

/** Formats raised limits: `20 steps, 5 steps without progress, depth 2, 8 sub-chains` */
export function describeRaisedLimits(limits: PartialLimits): string {
  const { stallThreshold, stallSimilarity, depth, chains, waitMs } = limits;
  return [
    describeLimits(limits),
    stallThreshold === undefined ? '' : `${formatPlural(stallThreshold, 'step')} without progress`,
    stallSimilarity === undefined ? '' : `similarity ${stallSimilarity}`,
    depth === undefined ? '' : `depth ${depth}`,
    chains === undefined ? '' : formatPlural(chains, 'sub-chain'),
    waitMs === undefined ? '' : `waits of ${formatLongDuration(waitMs)}`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** The longest time limit: thirty days. Temporal accepts more, but such a value is a mistake. */
export const maxTimeMs = 30 * 24 * 60 * 60 * 1_000;

/** The longest limit of waits: a year. */
export const maxWaitMs = 365 * 24 * 60 * 60 * 1_000;

export const limitChecks = {
  steps: check.integerFrom(1),
  tokens: check.integerFrom(1),
  costUsd: (value, at) =>
    value === null || (typeof value === 'number' && Number.isFinite(value) && value > 0)
      ? null
      : `${at} must be more than 0 US dollars`,
  timeMs: (value, at) =>
    typeof value === 'number' && value > maxTimeMs
      ? `${at} must be 30 days at most, in milliseconds`
      : check.integerFrom(1)(value, at),
  stallThreshold: (value, at) =>
    value === 1 ? `${at} must be at least 2: one step repeats nothing` : check.integerFrom(2)(value, at),
  stallSimilarity: (value, at) =>
    typeof value === 'number' && value >= 0 && value <= 1 ? null : `${at} must be a number from 0 to 1`,
  depth: check.integerFrom(0),
  chains: check.integerFrom(0),
  waitMs: (value, at) =>
    typeof value === 'number' && value > maxWaitMs
      ? `${at} must be 365 days at most, in milliseconds`
      : check.integerFrom(1)(value, at),
} satisfies { readonly [limit in keyof Required<Limits>]: check.ValueCheck };

const checkLimits: check.ValueCheck = check.members<Limits>(limitChecks);

/** Returns the first problem of limits in their stored form as a sentence, or null. */
export function validateLimits(limits: unknown): string | null {
  const problem = checkLimits(limits, 'limits');
  return problem === null ? null : `${problem}.`;
}

/** Size at which a run continues as new, in addition to the server's suggestion (engine/continue-as-new.ts). */
export interface RunLimits {
  /** Events in the run's history. */
  readonly events?: number;
  /** Steps taken in the run. */
  readonly steps?: number;
}

/** The chain's progress when its current run started. */
export interface RunStart {
  /** Runs before this one. */
  readonly runs: number;
  readonly steps: number;
  readonly facts: number;
}
