/**
 * A chain as a report in Markdown: for people, for tickets, and for models that are asked about it. It is made of a view,
 * so it has no more than its viewer may see (L8).
 */

import { count, longDuration, usd } from '../lib/display.js';
import { planLine, taskLine } from '../model/tasks.js';
import type { ChildView, PlanView, ReasoningView, StepView } from '../view/reasoning-view.js';
import { belowText, chargedText, subChainText } from '../view/sub-chain.js';
import { stepsIn } from './head-lines.js';
import { itemLines } from './item-lines.js';
import { code, fence, lineBlocks, list } from './markdown.js';

export function markdownOf(view: ReasoningView): string {
  return `${chainBlocks(view, 1).join('\n\n')}\n`;
}

/** @param level of the headings: the report of a sub-chain is within that of its parent */
function chainBlocks(view: ReasoningView, level: number): readonly string[] {
  const numbers = [...new Set(view.steps.map(({ number }) => number))];
  return [
    `${'#'.repeat(level)} Chain ${code(view.chainId)}`,
    facts(view),
    ...(view.task === '' ? [] : ['**Task**', fence(view.task)]),
    ...(view.progress.length === 0 ? [] : [list(view.progress.map(code))]),
    ...planBlocks(view.plan),
    ...numbers.flatMap((number) => stepBlocks(number, view, level + 1)),
    ...(view.answer === null ? [] : [`${'#'.repeat(level + 1)} Answer`, fence(view.answer)]),
    ...(view.partial === null ? [] : [`${'#'.repeat(level + 1)} Partial answer`, fence(view.partial)]),
  ];
}

function facts(view: ReasoningView): string {
  const { agent, model, outcome, reason, startedAt, endedAt, tokens, costUsd, tenant, user, below, path } = view;
  const rows: readonly (readonly [string, string | null])[] = [
    ['agent', code(agent)],
    ['model', model === '' ? null : code(model)],
    ['outcome', outcome === null ? 'still running' : code(outcome)],
    ['reason', reason === null ? null : code(reason)],
    ['started', startedAt > 0 ? new Date(startedAt).toISOString() : null],
    ['took', endedAt === null ? null : longDuration(Math.max(0, endedAt - startedAt))],
    ['steps', count(stepsIn(view.steps))],
    ['tokens', count(tokens)],
    ['cost', costUsd === null ? null : usd(costUsd)],
    ['sub-chains', below === undefined ? null : `${belowText(below.chains)}, ${chargedText(below)}`],
    ['sub-chain of', path === undefined ? null : path.slice(0, -1).map(code).join(' → ')],
    ['tenant', tenant === null ? null : code(tenant)],
    ['user', user === null ? null : code(user)],
  ];
  return list(rows.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`])));
}

function planBlocks(plan: PlanView | undefined): readonly string[] {
  if (plan === undefined) return [];
  return [`**Plan** ${planLine(plan)}`, list(plan.tasks.map((task) => code(taskLine(task))))];
}

function stepBlocks(number: number, view: ReasoningView, level: number): readonly string[] {
  const steps = view.steps.filter((step) => step.number === number);
  const heading = `${'#'.repeat(Math.min(6, level))} ${number === 0 ? 'Before the first step' : `Step ${number}`}`;
  const items = steps.flatMap((step) => [
    ...itemLines(step, 'whole').flatMap((line) => lineBlocks(line, step.id)),
    ...childBlocks(step, view, level),
  ]);
  return [heading, ...items];
}

function childBlocks(step: StepView, { children }: ReasoningView, level: number): readonly string[] {
  if (step.level === 'hidden' || step.kind !== 'tool_call') return [];
  const chains: readonly ChildView[] = Object.hasOwn(children, step.id) ? (children[step.id] ?? []) : [];
  return chains.flatMap((child) =>
    child.level === 'full'
      ? chainBlocks(child.chain, Math.min(5, level + 1))
      : [`**Sub-chain** ${code(child.chainId)} · ${code(child.agent)} · ${code(subChainText(child))}`],
  );
}
