/**
 * A chain as a Markdown report: for people, tickets and models. It is built from a view, so it contains only what its
 * viewer may see (L8).
 */

import { formatCount, formatLongDuration, formatTotalUsd } from '../../lib/index.js';
import { formatFile } from '../../model/index.js';
import type { ChildView, PlanView, ReasoningView, StepView } from '../reasoning-view.js';
import { formatChainSpending, formatSubChain, formatSubChainCount } from '../sub-chain.js';
import { formatPlanShare, formatTaskList } from '../task-tree.js';
import { countSteps } from './head-lines.js';
import { formatItemLines } from './item-lines.js';
import { formatCode, formatFence, formatLineBlocks, formatList, formatQuote } from './markdown.js';

export function formatMarkdownReport(view: ReasoningView): string {
  return `${formatChainBlocks(view, 1).join('\n\n')}\n`;
}

/** @param level level of the headings: a sub-chain's report is inside its parent's */
function formatChainBlocks(view: ReasoningView, level: number): readonly string[] {
  const numbers = [...new Set(view.steps.map(({ number }) => number))];
  return [
    `${'#'.repeat(level)} Chain ${formatCode(view.chainId)}`,
    formatOverview(view),
    ...(view.task === '' ? [] : ['**Task**', formatFence(view.task)]),
    ...(view.files === undefined
      ? []
      : ['**Files**', formatList(view.files.map((file) => formatCode(formatFile(file))))]),
    ...(view.warning === undefined ? [] : [formatQuote(view.warning)]),
    ...(view.outline === undefined
      ? []
      : [`**Summary** ${formatCode(view.summary)}`, formatList(view.outline.map(formatCode))]),
    ...(view.progress.length === 0 ? [] : [formatList(view.progress.map(formatCode))]),
    ...formatPlanBlocks(view.plan),
    ...numbers.flatMap((number) => formatStepBlocks(number, view, level + 1)),
    ...(view.answer === null ? [] : [`${'#'.repeat(level + 1)} Answer`, formatFence(view.answer)]),
    ...(view.partial === null ? [] : [`${'#'.repeat(level + 1)} Partial answer`, formatFence(view.partial)]),
  ];
}

function formatOverview(view: ReasoningView): string {
  const {
    agent,
    agentVersion,
    agentTitle,
    metadata,
    model,
    outcome,
    reason,
    startedAt,
    endedAt,
    tokens,
    costUsd,
    tenant,
    user,
    below,
    path,
  } = view;
  const rows: readonly (readonly [string, string | null])[] = [
    ['agent', formatCode(agentVersion === null ? agent : `${agent}@${agentVersion}`)],
    ['title', agentTitle === undefined ? null : formatCode(agentTitle)],
    ['model', model === '' ? null : formatCode(model)],
    ['outcome', outcome === null ? 'still running' : formatCode(outcome)],
    ['reason', reason === null ? null : formatCode(reason)],
    ['started', startedAt > 0 ? new Date(startedAt).toISOString() : null],
    ['took', endedAt === null ? null : formatLongDuration(Math.max(0, endedAt - startedAt))],
    ['steps', formatCount(countSteps(view.steps))],
    ['tokens', formatCount(tokens)],
    ['cost', costUsd === null ? null : formatTotalUsd(costUsd, view.unpricedTokens)],
    ['sub-chains', below === undefined ? null : `${formatSubChainCount(below.chains)}, ${formatChainSpending(below)}`],
    ['sub-chain of', path === undefined ? null : path.slice(0, -1).map(formatCode).join(' → ')],
    ['tenant', tenant === null ? null : formatCode(tenant)],
    ['user', user === null ? null : formatCode(user)],
    ['metadata', metadata === undefined ? null : formatCode(JSON.stringify(metadata))],
  ];
  return formatList(rows.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`])));
}

function formatPlanBlocks(plan: PlanView | undefined): readonly string[] {
  if (plan === undefined) return [];
  return [`**Plan** ${formatPlanShare(plan)}`, formatTaskList(plan, formatCode)];
}

function formatStepBlocks(number: number, view: ReasoningView, level: number): readonly string[] {
  const steps = view.steps.filter((step) => step.number === number);
  const heading = `${'#'.repeat(Math.min(6, level))} ${number === 0 ? 'Before the first step' : `Step ${number}`}`;
  const items = steps.flatMap((step) => [
    ...formatItemLines(step, 'full', view).flatMap((line) => formatLineBlocks(line, step.id)),
    ...formatChildBlocks(step, view, level),
  ]);
  return [heading, ...items];
}

function formatChildBlocks(step: StepView, { children }: ReasoningView, level: number): readonly string[] {
  if (step.level === 'hidden' || step.kind !== 'tool_call') return [];
  const chains: readonly ChildView[] = Object.hasOwn(children, step.id) ? (children[step.id] ?? []) : [];
  return chains.flatMap((child) =>
    child.level === 'full'
      ? formatChainBlocks(child.chain, Math.min(5, level + 1))
      : [
          `**Sub-chain** ${formatCode(child.chainId)} · ${formatCode(child.agent)} · ${formatCode(formatSubChain(child))}`,
        ],
  );
}
