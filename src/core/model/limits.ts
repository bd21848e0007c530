/** Limits of a chain and of one run. L7: every loop has a limit, also where none is configured. */

import { check, formatExactDuration, formatExactUsd, formatLongDuration, formatPlural } from '../lib/index.js';
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

/** The longest time limit: thirty days. Temporal accepts more, but such a value is a mistake. */
const maxTime = { ms: 30 * 24 * 60 * 60 * 1_000, text: '30 days' };

/** The longest limit of waits: a year. */
export const maxWait = { ms: 365 * 24 * 60 * 60 * 1_000, text: '365 days' };

/** A limit without its enforcement: what it is called, checked, set to and printed as. */
export interface LimitDefinition {
  /** Of the limit in options and after `--limit`; the first is the usual one. */
  readonly names: readonly [string, ...string[]];
  /** After `--limit`. */
  readonly example: string;
  readonly unit: 'count' | 'usd' | 'ms' | 'ratio';
  /** Of the stored form. */
  readonly check: check.ValueCheck;
  /** Only of a count: the smallest. */
  readonly min?: 0 | 1 | 2;
  /** Only of a time: the longest one, and how a limit is printed. */
  readonly max?: { readonly ms: number; readonly text: string };
  readonly format?: (ms: number) => string;
  readonly getDefault: (strategy: { readonly name: string } | undefined) => number;
  /** The agents that have it. */
  readonly agents: 'all' | 'delegating' | 'waiting';
  /** `80 % of the step limit is used: 8 of 10 steps.` */
  readonly noun: string;
  readonly suffix: string;
  /** In the table of limits. */
  readonly label: string;
  readonly describe: (limit: number) => string;
}

const checkMs =
  ({ ms, text }: { readonly ms: number; readonly text: string }): check.ValueCheck =>
  (value, at) =>
    typeof value === 'number' && value > ms
      ? `${at} must be ${text} at most, in milliseconds`
      : check.integerFrom(1)(value, at);

/** All limits, in the order in which they are stored and printed. A new limit is a row here, a rule that enforces it, and docs. */
export const limitTable = {
  steps: {
    ...{ names: ['steps'], example: 'steps=5', unit: 'count', agents: 'all' },
    ...{ check: check.integerFrom(1), min: 1, getDefault: getDefaultSteps },
    ...{ noun: 'step', suffix: ' steps', label: 'steps', describe: (limit) => formatPlural(limit, 'step') },
  },
  tokens: {
    ...{ names: ['tokens'], example: 'tokens=20000', unit: 'count', agents: 'all' },
    ...{ check: check.integerFrom(1), min: 1, getDefault: () => defaults.tokens },
    ...{ noun: 'token', suffix: ' tokens', label: 'tokens', describe: (limit) => formatPlural(limit, 'token') },
  },
  costUsd: {
    ...{ names: ['cost', 'costUsd'], example: 'cost=0.25 (US dollars)', unit: 'usd', agents: 'all' },
    check: (value, at) =>
      value === null || (typeof value === 'number' && Number.isFinite(value) && value > 0)
        ? null
        : `${at} must be more than 0 US dollars`,
    getDefault: () => defaults.costUsd,
    ...{ noun: 'cost', suffix: '', label: 'cost', describe: formatExactUsd },
  },
  timeMs: {
    ...{ names: ['time'], example: 'time=30s', unit: 'ms', agents: 'all' },
    ...{ check: checkMs(maxTime), max: maxTime, getDefault: () => defaults.timeMs },
    ...{ noun: 'time', suffix: '', label: 'time', format: formatExactDuration, describe: formatExactDuration },
  },
  stallThreshold: {
    ...{ names: ['stall', 'stallThreshold'], example: 'stall=3', unit: 'count', agents: 'all' },
    check: (value, at) =>
      value === 1 ? `${at} must be at least 2: one step repeats nothing` : check.integerFrom(2)(value, at),
    ...{ min: 2, getDefault: () => defaults.stallThreshold },
    ...{ noun: 'stall', suffix: ' steps', label: 'steps without progress' },
    describe: (limit) => `${formatPlural(limit, 'step')} without progress`,
  },
  stallSimilarity: {
    ...{ names: ['similarity', 'stallSimilarity'], example: 'similarity=0.8', unit: 'ratio', agents: 'all' },
    check: (value, at) =>
      typeof value === 'number' && value >= 0 && value <= 1 ? null : `${at} must be a number from 0 to 1`,
    getDefault: () => defaults.stallSimilarity,
    ...{ noun: 'similarity', suffix: '', label: 'similarity', describe: (limit) => `similarity ${limit}` },
  },
  depth: {
    ...{ names: ['depth'], example: 'depth=2', unit: 'count', agents: 'delegating' },
    ...{ check: check.integerFrom(0), min: 0, getDefault: () => defaults.depth },
    ...{ noun: 'depth', suffix: '', label: 'depth', describe: (limit) => `depth ${limit}` },
  },
  chains: {
    ...{ names: ['chains'], example: 'chains=20', unit: 'count', agents: 'delegating' },
    ...{ check: check.integerFrom(0), min: 0, getDefault: () => defaults.maxSubChains },
    ...{ noun: 'sub-chain', suffix: ' sub-chains', label: 'sub-chains' },
    describe: (limit) => formatPlural(limit, 'sub-chain'),
  },
  waitMs: {
    ...{ names: ['wait'], example: 'wait=2d', unit: 'ms', agents: 'waiting' },
    ...{ check: checkMs(maxWait), max: maxWait, getDefault: () => defaults.waitMs },
    ...{ noun: 'wait', suffix: '', label: 'waits', format: formatLongDuration },
    describe: (limit) => `waits of ${formatLongDuration(limit)}`,
  },
} as const satisfies { readonly [limit in keyof Required<Limits>]: LimitDefinition };

export type LimitName = keyof Limits;

/** The rows of the table. */
export const limitEntries = Object.entries(limitTable) as readonly (readonly [LimitName, LimitDefinition])[];

/** The name of a limit in options: a time has no unit in its name there, as `30m` may be its value. */
export type LimitOptionName<Name extends LimitName = LimitName> = Name extends `${infer Option}Ms` ? Option : Name;

export function getLimitOption(name: LimitName): LimitOptionName {
  return name.replace(/Ms$/, '') as LimitOptionName;
}

/** Formats limits that every chain has: `10 steps, 1,000,000 tokens, $1.00, 10 min` */
export function describeLimits({ steps, tokens, costUsd, timeMs }: PartialLimits): string {
  return describeRaisedLimits({ steps, tokens, costUsd, timeMs });
}

/** Formats limits: `20 steps, 5 steps without progress, depth 2, 8 sub-chains` */
export function describeRaisedLimits(limits: PartialLimits): string {
  return limitEntries
    .flatMap(([name, { describe }]) => (limits[name] == null ? [] : [describe(limits[name])]))
    .join(', ');
}

const checkLimits: check.ValueCheck = check.members<Limits>(
  Object.fromEntries(limitEntries.map(([name, row]) => [name, row.check])) as unknown as check.MemberChecks<Limits>,
);

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
