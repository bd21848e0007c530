/**
 * The cost of many chains, by tenant, agent, strategy, plan template, prompt, model or tool, and by period; of whole chains also how they
 * ended.
 *
 * The charge of a chain is its own: a sub-chain has its own figures, so a tree is the sum of its chains.
 */

import { findOwn } from '../lib/index.js';
import { addUsd } from '../model/index.js';

export const costGroupings = ['tenant', 'agent', 'strategy', 'template', 'prompt', 'model', 'tool'] as const;
export const costPeriods = ['day', 'week', 'month'] as const;

export type CostGrouping = (typeof costGroupings)[number];
/** What whole chains are summed up by. */
export type ChainGrouping = Exclude<CostGrouping, 'model' | 'tool'>;
export type CostPeriod = (typeof costPeriods)[number];

/** What chains charged, however it is summed up. */
export interface ChargeFigures {
  readonly chains: number;
  /** Chains that still run: their later charges are missing. */
  readonly running: number;
  readonly tokens: number;
  /** The tokens that are charged as reservations, because no plausible usage was reported. */
  readonly reservedTokens: number;
  /** US dollars; null if nothing has a price. */
  readonly costUsd: number | null;
  /** Chains that used tokens of a model without a price. */
  readonly unpriced: number;
}

export interface ChainFigures extends ChargeFigures {
  /** Without the first steps of forks, which other chains made. */
  readonly steps: number;
  /** How many chains ended with each outcome. An outcome without a chain is absent. */
  readonly outcomes: { readonly [outcome: string]: number };
}

/** What the calls of a model charged: a chain counts for each model that it called. */
export interface ModelFigures extends ChargeFigures {
  /** Calls and attempts that were charged. */
  readonly calls: number;
}

export interface ToolFigures {
  readonly calls: number;
  readonly failures: number;
  readonly durationMs: number;
  /** US dollars of the models that the calls asked; null if none has a price. They are part of the chains' cost. */
  readonly costUsd: number | null;
}

export type CostGroup<F> = F & {
  /** First day of the period in UTC, `2026-11-16`; null for a report without periods. */
  readonly period: string | null;
  /** Null for chains without a tenant, a plan template or a prompt, or whose agent was never prepared, and for what tools cost that call no model. */
  readonly name: string | null;
};

/** Groups with the highest figures first, in each period. */
export type CostReport =
  | {
      readonly by: ChainGrouping;
      readonly groups: readonly CostGroup<ChainFigures>[];
      readonly total: ChainFigures;
    }
  | { readonly by: 'model'; readonly groups: readonly CostGroup<ModelFigures>[]; readonly total: ModelFigures }
  | { readonly by: 'tool'; readonly groups: readonly CostGroup<ToolFigures>[]; readonly total: ToolFigures };

/** The figures of the chains that started on a day, counted from 1970-01-01 in UTC. */
export interface DailyFigures<F> {
  readonly name: string | null;
  readonly day: number;
  readonly figures: F;
}

export function createEmptyReport(by: CostGrouping): CostReport {
  if (by === 'tool') return buildToolReport([], null);
  return by === 'model' ? buildModelReport([], [], null) : buildChainReport(by, [], null);
}

export function buildChainReport(
  by: ChainGrouping,
  rows: readonly DailyFigures<ChainFigures>[],
  per: CostPeriod | null,
): CostReport {
  return { by, ...sumByGroup(rows, per, { none: noChains, add: addChains, compare: compareCost }) };
}

/** @param chains a chain that called several models counts once in the total */
export function buildModelReport(
  rows: readonly DailyFigures<ModelFigures>[],
  chains: readonly DailyFigures<ChainFigures>[],
  per: CostPeriod | null,
): CostReport {
  const { groups, total } = sumByGroup(rows, per, { none: noModelCalls, add: addModelCalls, compare: compareCost });
  const whole = chains.map(({ figures }) => figures).reduce<ChargeFigures>(addCharges, noCharges);
  return { by: 'model', groups, total: { ...whole, calls: total.calls } };
}

export function buildToolReport(rows: readonly DailyFigures<ToolFigures>[], per: CostPeriod | null): CostReport {
  return {
    by: 'tool',
    ...sumByGroup(rows, per, { none: noCalls, add: addCalls, compare: (a, b) => b.calls - a.calls }),
  };
}

interface Arithmetic<F> {
  readonly none: F;
  readonly add: (a: F, b: F) => F;
  /** Below 0 if `a` comes first. */
  readonly compare: (a: F, b: F) => number;
}

function sumByGroup<F>(
  rows: readonly DailyFigures<F>[],
  per: CostPeriod | null,
  { none, add, compare }: Arithmetic<F>,
): { readonly groups: readonly CostGroup<F>[]; readonly total: F } {
  const groups = new Map<string, CostGroup<F>>();
  for (const { name, day, figures } of rows) {
    const period = per === null ? null : formatPeriod(day, per);
    const key = JSON.stringify([period, name]);
    groups.set(key, { ...add(groups.get(key) ?? none, figures), period, name });
  }
  return {
    groups: [...groups.values()].sort(
      (a, b) => compareTexts(a.period, b.period) || compare(a, b) || compareTexts(a.name, b.name),
    ),
    total: rows.reduce((sum, { figures }) => add(sum, figures), none),
  };
}

function compareTexts(a: string | null, b: string | null): number {
  const [first, second] = [a ?? '', b ?? ''];
  return first === second ? 0 : first < second ? -1 : 1;
}

const dayMs = 86_400_000;

/** Returns the first day of a day's period. Weeks start on Monday; 1970-01-01 was a Thursday. */
function formatPeriod(day: number, per: CostPeriod): string {
  const first = per === 'week' ? day - ((day + 3) % 7) : day;
  const text = new Date(first * dayMs).toISOString().slice(0, 10);
  return per === 'month' ? `${text.slice(0, 7)}-01` : text;
}

const noCharges: ChargeFigures = {
  chains: 0,
  running: 0,
  tokens: 0,
  reservedTokens: 0,
  costUsd: null,
  unpriced: 0,
};

function addCharges(a: ChargeFigures, b: ChargeFigures): ChargeFigures {
  return {
    chains: a.chains + b.chains,
    running: a.running + b.running,
    tokens: a.tokens + b.tokens,
    reservedTokens: a.reservedTokens + b.reservedTokens,
    costUsd: addUsd(a.costUsd, b.costUsd),
    unpriced: a.unpriced + b.unpriced,
  };
}

const noChains: ChainFigures = { ...noCharges, steps: 0, outcomes: {} };

function addChains(a: ChainFigures, b: ChainFigures): ChainFigures {
  return { ...addCharges(a, b), steps: a.steps + b.steps, outcomes: addOutcomes(a.outcomes, b.outcomes) };
}

function addOutcomes(a: ChainFigures['outcomes'], b: ChainFigures['outcomes']): ChainFigures['outcomes'] {
  const sums = Object.entries(b).map(([outcome, chains]) => [outcome, (findOwn(a, outcome) ?? 0) + chains] as const);
  return { ...a, ...Object.fromEntries(sums) };
}

const noModelCalls: ModelFigures = { ...noCharges, calls: 0 };

function addModelCalls(a: ModelFigures, b: ModelFigures): ModelFigures {
  return { ...addCharges(a, b), calls: a.calls + b.calls };
}

function compareCost(a: ChargeFigures, b: ChargeFigures): number {
  return (b.costUsd ?? -1) - (a.costUsd ?? -1) || b.tokens - a.tokens;
}

const noCalls: ToolFigures = { calls: 0, failures: 0, durationMs: 0, costUsd: null };

function addCalls(a: ToolFigures, b: ToolFigures): ToolFigures {
  return {
    calls: a.calls + b.calls,
    failures: a.failures + b.failures,
    durationMs: a.durationMs + b.durationMs,
    costUsd: addUsd(a.costUsd, b.costUsd),
  };
}
