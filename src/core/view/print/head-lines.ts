/** The first lines of a chain: agent and task, model, outcome or pending requests, and usage. */

import { formatRetryWait, formatStepProgress, type WaitCause } from '../../engine/index.js';
import {
  formatCount,
  formatLongDuration,
  formatPlural,
  formatTime,
  formatTotalUsd,
  formatUsd,
} from '../../lib/index.js';
import {
  describeLimits,
  formatFile,
  formatPromptRef,
  hasAnswer,
  type PartialLimits,
  type RequestKind,
  type ReservedCharges,
} from '../../model/index.js';
import { describeApprovalStep } from '../approval-steps.js';
import { type CallWaitView, formatCallWait } from '../call-waits.js';
import type { Spending } from '../reasoning.js';
import type { ReasoningView, StepView } from '../reasoning-view.js';
import { formatChainSpending, formatSubChainCount, sumSpending } from '../sub-chain.js';
import { createBareLine, createLine, createNamedLabel, createRemarksLine, createSignLabel, type Line } from './line.js';

/** Rows of a task; `--json` prints longer ones in full. */
const maxTaskRows = 6;

export function formatHeadLines(chain: ReasoningView, now: number): readonly Line[] {
  if (chain.startedAt === 0 && chain.outcome === null)
    return [...formatAboutLines(chain), createBareLine('● not started: no worker has taken it', 'running')];
  return [...formatAboutLines(chain), ...formatEndLines(chain, now)];
}

/** The answer of a chain whose last step the viewer does not see: switches hide steps, never the answer. */
function formatLoneAnswer({ answer, steps }: ReasoningView): readonly Line[] {
  if (answer === null || steps.some(({ kind, level }) => kind === 'synthesis' && level === 'full')) return [];
  return [createLine(createNamedLabel('answer', 'good'), { content: answer })];
}

/** How a chain ended, or what it waits for, with its spending. */
export function formatEndLines(chain: ReasoningView, now: number): readonly Line[] {
  return [formatOutcomeLine(chain), ...formatLoneAnswer(chain), formatSpendingLine(chain, now)];
}

export function formatAboutLines(chain: ReasoningView): readonly Line[] {
  const { agent, agentVersion, task, files = [], model, chainId, tenant, user, roles, startedAt } = chain;
  const { origin, path, thread, earlier, agentTitle, agentPrompt, metadata } = chain;
  const about = [
    ...(agentTitle === undefined ? [] : [agentTitle]),
    ...(agentVersion === null ? [] : [`version ${agentVersion}`]),
    ...(agentPrompt === undefined ? [] : [`prompt ${formatPromptRef(agentPrompt)}`]),
    ...(model === '' ? [] : [model]),
    chainId,
    ...(tenant === null ? [] : [`tenant ${tenant}`]),
    ...(user === null ? [] : [`user ${user}`]),
    ...(roles.length === 0 ? [] : [`${roles.length === 1 ? 'role' : 'roles'} ${roles.join(', ')}`]),
    ...(startedAt > 0 ? [formatTime(startedAt)] : []),
    ...(path === undefined ? [] : [`sub-chain of ${path.slice(0, -1).join(' → ')}`]),
    ...(thread === undefined ? [] : [`follows ${thread.follows} as chain ${thread.number} of thread ${thread.id}`]),
    ...(earlier === undefined ? [] : [formatEarlierCount(earlier)]),
    ...(origin === null ? [] : [`forked from ${origin.chainId} after step ${origin.steps}`]),
  ];
  return [
    formatGoalLine(agent, task),
    ...formatFileLines(files.map(formatFile)),
    createRemarksLine(about.map((text) => ({ text }))),
    ...(metadata === undefined ? [] : [createRemarksLine([{ text: `metadata ${JSON.stringify(metadata)}` }])]),
  ];
}

/** The first lines of a chain that a command runs: the command prints its id, and knows its people. */
export function formatRunHeadLines(
  { agent, agentVersion, agentTitle, task, files = [], model }: ReasoningView,
  limits: PartialLimits,
): readonly Line[] {
  const title = agentTitle === undefined ? [] : [{ text: agentTitle }];
  const version = agentVersion === null ? [] : [{ text: `version ${agentVersion}` }];
  const remarks = [...title, ...version, { text: model }, `at most ${describeLimits(limits)}`];
  return [formatGoalLine(agent, task), ...formatFileLines(files.map(formatFile)), createRemarksLine(remarks)];
}

function formatEarlierCount({ messages, omitted }: NonNullable<ReasoningView['earlier']>): string {
  const count = messages.length === 1 ? '1 earlier message' : `${formatCount(messages.length)} earlier messages`;
  return omitted === 0 ? count : `${count}, ${formatCount(omitted)} left out`;
}

/** A line for each file of the task. */
function formatFileLines(files: readonly string[]): readonly Line[] {
  return files.map((text) => createRemarksLine([{ text }]));
}

function formatGoalLine(agent: string, task: string): Line {
  return createLine(createSignLabel('agent', '', 'heading', agent), { content: task, maxRows: maxTaskRows });
}

export function formatOutcomeLine(chain: ReasoningView): Line {
  const { state, outcome, reason, currentStep } = chain;
  const waits = outcome === null ? (describeWaiting(chain) ?? describeWaitingSubChains(chain)) : null;
  if (waits !== null) return createLine(createSignLabel('waits', '⏸', 'warning'), { content: waits, style: 'warning' });
  if (outcome === null) {
    const step = currentStep === null ? '' : `, step ${formatStepProgress(currentStep)}`;
    return createBareLine(`● ${stateTexts[state]}${step}`, 'running');
  }
  return formatEndLine(outcome, reason ?? '');
}

function formatEndLine(outcome: NonNullable<ReasoningView['outcome']>, reason: string): Line {
  const good = hasAnswer(outcome);
  return createLine(createSignLabel('outcome', good ? '✓' : '■', good ? 'good' : 'bad', outcome), { content: reason });
}

const stateTexts: { readonly [state in ReasoningView['state']]: string } = {
  thinking: 'running: the model is thinking',
  tool_calling: 'running: calling tools',
  waiting: 'running: waiting',
  completed: 'completed',
  failed: 'failed',
};

function formatSpendingLine(chain: ReasoningView, now: number): Line {
  const { startedAt, endedAt, tokens, costUsd, unpricedTokens, reservedCharges, below } = chain;
  const reserved = reservedCharges === undefined ? '' : formatReservedCharges(reservedCharges);
  const parts = [
    formatPlural(countSteps(chain.steps), 'step'),
    ...(startedAt > 0 ? [formatLongDuration(Math.max(0, (endedAt ?? now) - startedAt))] : []),
    `${formatCount(tokens)} tokens${costUsd === null ? reserved : ''}`,
    ...(costUsd === null ? [] : [`${formatTotalUsd(costUsd, unpricedTokens)}${reserved}`]),
    ...(below === undefined || below.chains === 0 ? [] : listSubChainTotals(below, { ...chain, chains: 1 })),
  ];
  return createRemarksLine(parts);
}

/** After the amount of which they are a part: `, of which $0.99 reserved (6 attempts without usage)` */
function formatReservedCharges({ calls, tokens, usd }: ReservedCharges): string {
  const amount = usd === null ? formatCount(tokens) : formatUsd(usd);
  return `, of which ${amount} reserved (${calls} ${calls === 1 ? 'attempt' : 'attempts'} without usage)`;
}

function listSubChainTotals(below: Spending, own: Spending): readonly string[] {
  return [
    `${formatSubChainCount(below.chains)} ${formatChainSpending(below)}`,
    `in all ${formatChainSpending(sumSpending([own, below]))}`,
  ];
}

/** Returns the number of steps in a view, without the place before the first. */
export function countSteps(steps: ReasoningView['steps']): number {
  return new Set(steps.filter(({ number }) => number > 0).map(({ number }) => number)).size;
}

/**
 * Returns `Waiting for approval of git_push`, `waiting until 2026-11-28 14:05 UTC`, why the chain is paused, or since when
 * its provider fails; null if it waits for none of these, or the viewer may not see it.
 */
export function describeWaiting({
  state,
  steps,
  retryWait,
  waits = [],
}: Pick<ReasoningView, 'state' | 'steps' | 'retryWait' | 'waits'>): string | null {
  if (retryWait !== null) return formatRetryWait(retryWait);
  if (state !== 'waiting') return null;
  const open = [...steps.flatMap((step) => describeOpenRequest(step) ?? []), ...waits.map(formatCallWait)];
  return open.length > 0 ? [...new Set(open)].join('; ') : (findPause(steps)?.text ?? null);
}

/** What a chain waits for: `worker` for one that has its agent, tools and provider, `repair` of what holds it, and `decision` where the viewer may not see of what. */
export type WaitsFor = WaitCause | 'repair' | 'approval' | 'answer' | 'decision' | 'resume' | CallWaitView['kind'];

const requestWaits: { readonly [kind in RequestKind]: WaitsFor } = {
  approval: 'approval',
  question: 'answer',
  outcome: 'decision',
};

/** The same as `describeWaiting`, as one of few words. */
export function findWaitsFor(chain: Pick<ReasoningView, 'state' | 'steps' | 'retryWait' | 'waits'>): WaitsFor | null {
  const { state, steps, retryWait, waits = [] } = chain;
  if (retryWait !== null) return retryWait.held ? 'repair' : retryWait.waitsFor;
  if (state !== 'waiting') return null;
  const open = steps.find((step) => describeOpenRequest(step) !== null);
  const pause = findPause(steps);
  if (open === undefined && pause !== null) return pause.notice === 'paused' ? 'resume' : 'decision';
  if (open === undefined) return findFirstWait(waits)?.kind ?? null;
  return open.level === 'full' && open.kind === 'approval' ? requestWaits[open.request] : 'decision';
}

/** Of several waits, the one that ends first. */
function findFirstWait(waits: readonly CallWaitView[]): CallWaitView | undefined {
  return [...waits].sort((a, b) => a.until - b.until)[0];
}

function describeOpenRequest(step: StepView): string | null {
  if (step.level === 'hidden' || step.kind !== 'approval' || step.status !== 'waiting') return null;
  return step.level === 'summary' ? step.summary : describeApprovalStep(step);
}

/** Null where the chain was resumed since. */
function findPause(steps: ReasoningView['steps']) {
  const notices = steps.flatMap((step) => (step.level === 'full' && step.kind === 'notice' ? [step] : []));
  const last = notices.findLast(({ notice }) => /^(paused|limit_question|resumed)$/.test(notice));
  return last === undefined || last.notice === 'resumed' ? null : last;
}

/** Returns `publisher waits for a person (tea/1.2)` for each waiting sub-chain. */
function describeWaitingSubChains({ children }: Pick<ReasoningView, 'children'>): string | null {
  const waiting = Object.values(children).flatMap((subChains) => subChains.filter(({ state }) => state === 'waiting'));
  const texts = waiting.map(({ agent, chainId }) => `${agent} waits for a person (${chainId})`);
  return texts.length === 0 ? null : texts.join('; ');
}
