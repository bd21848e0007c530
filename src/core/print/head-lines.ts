/** The first lines of a chain: who works on what with which model, its outcome or what it waits for, and what it took. */

import { clock, count, longDuration, usd } from '../lib/display.js';
import { sayApproval } from '../view/approval-steps.js';
import type { Spent } from '../view/reasoning.js';
import type { ReasoningView, StepView } from '../view/reasoning-view.js';
import { belowText, chargedText, sumOf } from '../view/sub-chain.js';
import { bare, factsLine, type Line, lineOf, signed } from './line.js';

/** Rows of a task; a longer one is whole in `--json`. */
const mostRows = 6;

export function headLines(chain: ReasoningView, now: number): readonly Line[] {
  return [...aboutLines(chain), outcomeLine(chain), spentLine(chain, now)];
}

export function aboutLines(chain: ReasoningView): readonly Line[] {
  const { agent, task, model, chainId, tenant, user, startedAt, origin, path } = chain;
  const about = [
    ...(model === '' ? [] : [model]),
    chainId,
    ...(tenant === null ? [] : [`tenant ${tenant}`]),
    ...(user === null ? [] : [`user ${user}`]),
    ...(startedAt > 0 ? [clock(startedAt)] : []),
    ...(path === undefined ? [] : [`sub-chain of ${path.slice(0, -1).join(' → ')}`]),
    ...(origin === null ? [] : [`forked from ${origin.chainId} after step ${origin.steps}`]),
  ];
  return [goalLine(agent, task), factsLine(about.map((said) => ({ said })))];
}

export function goalLine(agent: string, task: string): Line {
  return lineOf(signed('agent', '', 'heading', agent), { said: task, rows: mostRows });
}

export function outcomeLine(chain: ReasoningView): Line {
  const { state, outcome, reason } = chain;
  const waits = outcome === null ? (waitsFor(chain) ?? waitsBelow(chain)) : null;
  if (waits !== null) return lineOf(signed('waits', '⏸', 'warning'), { said: waits, style: 'warning' });
  if (outcome === null) return bare(`● ${runningWords[state]}`, 'running');
  return endLine(outcome, reason ?? '');
}

export function endLine(outcome: string, reason: string): Line {
  const good = outcome === 'success' || outcome === 'custom';
  return lineOf(signed('outcome', good ? '✓' : '■', good ? 'good' : 'bad', outcome), { said: reason });
}

const runningWords: { readonly [state in ReasoningView['state']]: string } = {
  thinking: 'running: the model is thinking',
  tool_calling: 'running: its calls are under way',
  waiting: 'running: it waits',
  completed: 'completed',
  failed: 'failed',
};

export function spentLine(chain: ReasoningView, now: number): Line {
  const { steps, startedAt, endedAt } = chain;
  const tookMs = startedAt > 0 ? Math.max(0, (endedAt ?? now) - startedAt) : null;
  return tookLine({ ...chain, steps: stepsIn(steps), tookMs });
}

interface Took extends Omit<Spent, 'chains'> {
  readonly steps: number;
  readonly tookMs: number | null;
  /** What its sub-chains took. */
  readonly below?: Spent;
}

export function tookLine({ steps, tookMs, tokens, costUsd, below }: Took): Line {
  const parts = [
    `${count(steps)} ${steps === 1 ? 'step' : 'steps'}`,
    ...(tookMs === null ? [] : [longDuration(tookMs)]),
    `${count(tokens)} tokens`,
    ...(costUsd === null ? [] : [usd(costUsd)]),
    ...(below === undefined || below.chains === 0 ? [] : belowParts(below, { chains: 1, tokens, costUsd })),
  ];
  return factsLine(parts);
}

function belowParts(below: Spent, own: Spent): readonly string[] {
  return [`${belowText(below.chains)} ${chargedText(below)}`, `in all ${chargedText(sumOf([own, below]))}`];
}

/** How many steps a view has, those before the first left out. */
export function stepsIn(steps: ReasoningView['steps']): number {
  return new Set(steps.filter(({ number }) => number > 0).map(({ number }) => number)).size;
}

/** `Waiting for approval of git_push`, or why it is paused; null where it waits for nobody, or the viewer may not know. */
export function waitsFor({ state, steps }: Pick<ReasoningView, 'state' | 'steps'>): string | null {
  if (state !== 'waiting') return null;
  const open = steps.flatMap((step) => waitingFor(step) ?? []);
  return open.length > 0 ? [...new Set(open)].join('; ') : paused(steps);
}

function waitingFor(step: StepView): string | null {
  if (step.level === 'hidden' || step.kind !== 'approval' || step.status !== 'waiting') return null;
  return step.level === 'summary' ? step.summary : sayApproval(step);
}

function paused(steps: ReasoningView['steps']): string | null {
  const last = steps.findLast((step) => {
    return step.level === 'full' && step.kind === 'notice' && (step.notice === 'paused' || step.notice === 'resumed');
  });
  return last?.level === 'full' && last.kind === 'notice' && last.notice === 'paused' ? last.text : null;
}

/** `publisher waits for a person (tea/1.2)`: the sub-chains that a chain waits for, because they wait themselves. */
function waitsBelow({ children }: Pick<ReasoningView, 'children'>): string | null {
  const waiting = Object.values(children).flatMap((begun) => begun.filter(({ state }) => state === 'waiting'));
  const told = waiting.map(({ agent, chainId }) => `${agent} waits for a person (${chainId})`);
  return told.length === 0 ? null : told.join('; ');
}
