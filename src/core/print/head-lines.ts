/** The first lines of a chain: who works on what with which model, its outcome or what it waits for, and what it took. */

import { formatCount, formatLongDuration, formatTime, formatUsd } from '../lib/display.js';
import { describeApprovalStep } from '../view/approval-steps.js';
import type { Spending } from '../view/reasoning.js';
import type { ReasoningView, StepView } from '../view/reasoning-view.js';
import { formatChainSpending, formatSubChainCount, sumSpending } from '../view/sub-chain.js';
import { createBareLine, createLine, createRemarksLine, createSignLabel, type Line } from './line.js';

/** Rows of a task; a longer one is whole in `--json`. */
const maxTaskRows = 6;

export function formatHeadLines(chain: ReasoningView, now: number): readonly Line[] {
  return [...formatAboutLines(chain), formatOutcomeLine(chain), formatSpendingLine(chain, now)];
}

export function formatAboutLines(chain: ReasoningView): readonly Line[] {
  const { agent, task, model, chainId, tenant, user, startedAt, origin, path } = chain;
  const about = [
    ...(model === '' ? [] : [model]),
    chainId,
    ...(tenant === null ? [] : [`tenant ${tenant}`]),
    ...(user === null ? [] : [`user ${user}`]),
    ...(startedAt > 0 ? [formatTime(startedAt)] : []),
    ...(path === undefined ? [] : [`sub-chain of ${path.slice(0, -1).join(' → ')}`]),
    ...(origin === null ? [] : [`forked from ${origin.chainId} after step ${origin.steps}`]),
  ];
  return [formatGoalLine(agent, task), createRemarksLine(about.map((text) => ({ text })))];
}

export function formatGoalLine(agent: string, task: string): Line {
  return createLine(createSignLabel('agent', '', 'heading', agent), { content: task, maxRows: maxTaskRows });
}

export function formatOutcomeLine(chain: ReasoningView): Line {
  const { state, outcome, reason } = chain;
  const waits = outcome === null ? (describeWaiting(chain) ?? describeWaitingSubChains(chain)) : null;
  if (waits !== null) return createLine(createSignLabel('waits', '⏸', 'warning'), { content: waits, style: 'warning' });
  if (outcome === null) return createBareLine(`● ${stateTexts[state]}`, 'running');
  return formatEndLine(outcome, reason ?? '');
}

export function formatEndLine(outcome: string, reason: string): Line {
  const good = outcome === 'success' || outcome === 'custom';
  return createLine(createSignLabel('outcome', good ? '✓' : '■', good ? 'good' : 'bad', outcome), { content: reason });
}

const stateTexts: { readonly [state in ReasoningView['state']]: string } = {
  thinking: 'running: the model is thinking',
  tool_calling: 'running: its calls are under way',
  waiting: 'running: it waits',
  completed: 'completed',
  failed: 'failed',
};

export function formatSpendingLine(chain: ReasoningView, now: number): Line {
  const { steps, startedAt, endedAt } = chain;
  const tookMs = startedAt > 0 ? Math.max(0, (endedAt ?? now) - startedAt) : null;
  return formatTotalsLine({ ...chain, steps: countSteps(steps), durationMs: tookMs });
}

interface ChainTotals extends Omit<Spending, 'chains'> {
  readonly steps: number;
  readonly durationMs: number | null;
  /** What its sub-chains took. */
  readonly below?: Spending;
}

export function formatTotalsLine({ steps, durationMs, tokens, costUsd, below }: ChainTotals): Line {
  const parts = [
    `${formatCount(steps)} ${steps === 1 ? 'step' : 'steps'}`,
    ...(durationMs === null ? [] : [formatLongDuration(durationMs)]),
    `${formatCount(tokens)} tokens`,
    ...(costUsd === null ? [] : [formatUsd(costUsd)]),
    ...(below === undefined || below.chains === 0 ? [] : listSubChainTotals(below, { chains: 1, tokens, costUsd })),
  ];
  return createRemarksLine(parts);
}

function listSubChainTotals(below: Spending, own: Spending): readonly string[] {
  return [
    `${formatSubChainCount(below.chains)} ${formatChainSpending(below)}`,
    `in all ${formatChainSpending(sumSpending([own, below]))}`,
  ];
}

/** How many steps a view has, those before the first left out. */
export function countSteps(steps: ReasoningView['steps']): number {
  return new Set(steps.filter(({ number }) => number > 0).map(({ number }) => number)).size;
}

/** `Waiting for approval of git_push`, or why it is paused; null where it waits for nobody, or the viewer may not know. */
export function describeWaiting({ state, steps }: Pick<ReasoningView, 'state' | 'steps'>): string | null {
  if (state !== 'waiting') return null;
  const open = steps.flatMap((step) => describeOpenRequest(step) ?? []);
  return open.length > 0 ? [...new Set(open)].join('; ') : findPauseReason(steps);
}

function describeOpenRequest(step: StepView): string | null {
  if (step.level === 'hidden' || step.kind !== 'approval' || step.status !== 'waiting') return null;
  return step.level === 'summary' ? step.summary : describeApprovalStep(step);
}

function findPauseReason(steps: ReasoningView['steps']): string | null {
  const last = steps.findLast((step) => {
    return step.level === 'full' && step.kind === 'notice' && (step.notice === 'paused' || step.notice === 'resumed');
  });
  return last?.level === 'full' && last.kind === 'notice' && last.notice === 'paused' ? last.text : null;
}

/** `publisher waits for a person (tea/1.2)`: the sub-chains that a chain waits for, because they wait themselves. */
function describeWaitingSubChains({ children }: Pick<ReasoningView, 'children'>): string | null {
  const waiting = Object.values(children).flatMap((begun) => begun.filter(({ state }) => state === 'waiting'));
  const told = waiting.map(({ agent, chainId }) => `${agent} waits for a person (${chainId})`);
  return told.length === 0 ? null : told.join('; ');
}
