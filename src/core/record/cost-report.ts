/**
 * The cost of many chains, by tenant, agent, model or tool, and by period.
 *
 * The charge of a chain is its own: a sub-chain has its own figures, so a tree is the sum of its chains.
 */

import { roundUsd } from '../model/usage.js';

export const costGroupings = ['tenant', 'agent', 'model', 'tool'] as const;
export const costPeriods = ['day', 'week', 'month'] as const;

export type CostGrouping = (typeof costGroupings)[number];
export type CostPeriod = (typeof costPeriods)[number];

export interface ChainFigures {
  readonly chains: number;
  /** Chains that still run: their later charges are missing. */
  readonly running: number;
  /** Without the first steps of forks, which other chains made. */
  readonly steps: number;
  readonly tokens: number;
  /** The tokens that are charged as reservations, because no plausible usage was reported. */
  readonly reservedTokens: number;
  /** US dollars; null if no chain has a price. */
  readonly costUsd: number | null;
  /** Chains that used tokens of a model without a price. */
  readonly unpriced: number;
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
  /** Null for chains without a tenant, or whose agent was never prepared and has no model. */
  readonly name: string | null;
};

/** Groups with the highest figures first, in each period. */
export type CostReport =
  | {
      readonly by: Exclude<CostGrouping, 'tool'>;
      readonly groups: readonly CostGroup<ChainFigures>[];
      readonly total: ChainFigures;
    }
  | { readonly by: 'tool'; readonly groups: readonly CostGroup<ToolFigures>[]; readonly total: ToolFigures };

/** The figures of the chains that started on a day, counted from 1970-01-01 in UTC. */
export interface DailyFigures<F> {
  readonly name: string | null;
  readonly day: number;
  readonly figures: F;
}

export function createEmptyReport(by: CostGrouping): CostReport {
  return by === 'tool' ? buildToolReport([], null) : buildChainReport(by, [], null);
}

export function buildChainReport(
  by: Exclude<CostGrouping, 'tool'>,
  rows: readonly DailyFigures<ChainFigures>[],
  per: CostPeriod | null,
): CostReport {
  return { by, ...sumByGroup(rows, per, { none: noChains, add: addChains, compare: compareCost }) };
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

const noChains: ChainFigures = {
  chains: 0,
  running: 0,
  steps: 0,
  tokens: 0,
  reservedTokens: 0,
  costUsd: null,
  unpriced: 0,
};

function addChains(a: ChainFigures, b: ChainFigures): ChainFigures {
  return {
    chains: a.chains + b.chains,
    running: a.running + b.running,
    steps: a.steps + b.steps,
    tokens: a.tokens + b.tokens,
    reservedTokens: a.reservedTokens + b.reservedTokens,
    costUsd: addCosts(a.costUsd, b.costUsd),
    unpriced: a.unpriced + b.unpriced,
  };
}

/** Adds US dollars; null is unknown, and adds nothing. */
export function addCosts(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : roundUsd(a + b);
}

function compareCost(a: ChainFigures, b: ChainFigures): number {
  return (b.costUsd ?? -1) - (a.costUsd ?? -1) || b.tokens - a.tokens;
}

const noCalls: ToolFigures = { calls: 0, failures: 0, durationMs: 0, costUsd: null };

function addCalls(a: ToolFigures, b: ToolFigures): ToolFigures {
  return {
    calls: a.calls + b.calls,
    failures: a.failures + b.failures,
    durationMs: a.durationMs + b.durationMs,
    costUsd: addCosts(a.costUsd, b.costUsd),
  };
}
