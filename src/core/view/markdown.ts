/**
 * A chain as a report in Markdown: for people, for tickets, and for models that are asked about it. Made from a view, so
 * that it tells what its viewer may see (L8).
 *
 * 1. Whatever was said or observed stands in a fence that is longer than any in it, or as code: it cannot end its place,
 *    and nothing in it is rendered, neither a link nor an image nor HTML.
 */

import { cachedText, count, duration, longDuration, unreportedText, usd } from '../lib/display.js';
import { asText, type Json } from '../lib/json.js';
import { approvalsOf } from '../model/ask.js';
import { inputTokens } from '../model/usage.js';
import { askFacts, decidedText } from '../state/decided-text.js';
import { planLine, taskLine } from '../state/plan-text.js';
import type { PlanView } from './plan-view.js';
import type { Spoken } from './reasoning.js';
import type { ChildView, FullStep, ReasoningView, StepView } from './reasoning-view.js';
import { belowText, chargedText, subChainText } from './sub-chain-text.js';

export function markdownOf(view: ReasoningView): string {
  return `${blocksOf(view, 1).join('\n\n')}\n`;
}

/** @param level of the headings: a chain that this one began is a part of it */
function blocksOf(view: ReasoningView, level: number): readonly string[] {
  const numbers = [...new Set(view.steps.map(({ number }) => number))];
  return [
    `${'#'.repeat(level)} Chain ${code(view.chainId)}`,
    facts(view),
    ...(view.task === '' ? [] : ['**Task**', fence(view.task)]),
    ...view.progress.map((line) => `- ${code(line)}`),
    ...planBlocks(view.plan),
    ...numbers.flatMap((number) => stepBlocks(number, view, level + 1)),
    ...(view.answer === null ? [] : [`${'#'.repeat(level + 1)} Answer`, fence(view.answer)]),
    ...(view.partial === null ? [] : [`${'#'.repeat(level + 1)} What was found`, fence(view.partial)]),
  ];
}

function facts(view: ReasoningView): string {
  const { agent, model, outcome, reason, startedAt, endedAt, tokens, costUsd, tenant, user, below, path } = view;
  const steps = new Set(view.steps.map(({ number }) => number).filter((number) => number > 0)).size;
  const rows: readonly (readonly [string, string | null])[] = [
    ['agent', code(agent)],
    ['model', model === '' ? null : code(model)],
    ['outcome', outcome === null ? 'still running' : code(outcome)],
    ['reason', reason === null ? null : code(reason)],
    ['started', startedAt > 0 ? new Date(startedAt).toISOString() : null],
    ['took', endedAt === null ? null : longDuration(Math.max(0, endedAt - startedAt))],
    ['steps', count(steps)],
    ['tokens', count(tokens)],
    ['cost', costUsd === null ? null : usd(costUsd)],
    ['sub-chains', below === undefined ? null : `${belowText(below.chains)}, ${chargedText(below)}`],
    ['begun by', path === undefined ? null : path.slice(0, -1).map(code).join(' → ')],
    ['tenant', tenant === null ? null : code(tenant)],
    ['user', user === null ? null : code(user)],
  ];
  const known = rows.filter(([, value]) => value !== null);
  return known.map(([name, value]) => `- ${name}: ${value}`).join('\n');
}

function planBlocks(plan: PlanView | undefined): readonly string[] {
  if (plan === undefined) return [];
  return [`**Plan** ${planLine(plan)}`, plan.tasks.map((task) => `- ${code(taskLine(task))}`).join('\n')];
}

function stepBlocks(number: number, view: ReasoningView, level: number): readonly string[] {
  const steps = view.steps.filter((step) => step.number === number);
  const heading = `${'#'.repeat(Math.min(6, level))} ${number === 0 ? 'Before the first step' : `Step ${number}`}`;
  return [heading, ...steps.flatMap((step) => [...itemBlocks(step), ...childBlocks(step, view, level)])];
}

function itemBlocks(step: StepView): readonly string[] {
  if (step.level === 'hidden') return [`**${names[step.kind]}** ${step.id}: not shown`];
  if (step.level === 'summary') return [`**${names[step.kind]}** ${step.id}: ${code(step.summary)}`];
  return fullBlocks(step);
}

const names: Readonly<Record<StepView['kind'], string>> = {
  thinking: 'Thought',
  tool_call: 'Call',
  approval: 'Request',
  tool_result: 'Result',
  synthesis: 'Conclusion',
  notice: 'Notice',
};

function fullBlocks(step: FullStep): readonly string[] {
  const title = (...more: readonly string[]) => [`**${names[step.kind]}** ${step.id}`, ...more].join(' · ');
  switch (step.kind) {
    case 'thinking':
      return [
        title(...spokenParts(step.spoken)),
        ...(step.thought === null ? [] : [fence(step.thought)]),
        ...(step.problem === null ? [] : [`Could not be read: ${code(step.problem)}`]),
      ];
    case 'tool_call':
      return [title(code(step.tool), words(step.status)), fence(step.changedFrom ?? step.input)];
    case 'approval':
      return approvalBlocks(step, title);
    case 'tool_result':
      return [
        title(
          code(step.tool),
          words(step.status),
          ...(step.durationMs === null ? [] : [duration(step.durationMs)]),
          ...(step.reusedFrom === null ? [] : [`reused from ${step.reusedFrom}`]),
          ...(step.cached === undefined ? [] : [cachedText(step.cached.ageMs)]),
          ...(step.clippedFrom === null ? [] : [`a part of ${count(step.clippedFrom)} bytes`]),
        ),
        fence(step.observation),
      ];
    case 'synthesis':
      return [
        title(
          ...(step.spoken === null ? [] : spokenParts(step.spoken)),
          ...(step.confidence === null ? [] : [`confidence ${step.confidence}`]),
          ...(step.sources.length === 0 ? [] : [`from ${step.sources.join(', ')}`]),
        ),
        fence(step.conclusion),
      ];
    case 'notice':
      return [title(words(step.notice)), fence(step.text)];
  }
}

function approvalBlocks(
  step: Extract<FullStep, { kind: 'approval' }>,
  title: (...more: readonly string[]) => string,
): readonly string[] {
  const { tool, status, durationMs, reason, decisions, changedInput } = step;
  const approved = approvalsOf(decisions).length;
  const facts = status === 'waiting' ? askFacts({ ...step, approved }) : [];
  const took = durationMs === null ? [] : [`after ${longDuration(durationMs)}`];
  return [
    title(words(step.request), code(tool), words(status), ...facts.map(code), ...took),
    fence(reason),
    ...(decisions.length === 0
      ? []
      : [decisions.map((said) => `- ${code(decidedText(said, null, decisions))}`).join('\n')]),
    ...(changedInput === undefined ? [] : ['The arguments were changed to:', fence(changedInput)]),
  ];
}

function childBlocks(step: StepView, { children }: ReasoningView, level: number): readonly string[] {
  if (step.level === 'hidden' || step.kind !== 'tool_call') return [];
  const chains: readonly ChildView[] = Object.hasOwn(children, step.id) ? (children[step.id] ?? []) : [];
  return chains.flatMap((child) =>
    child.level === 'full'
      ? blocksOf(child.chain, Math.min(5, level + 1))
      : [`**Sub-chain** ${code(child.chainId)} · ${code(child.agent)} · ${code(subChainText(child))}`],
  );
}

function spokenParts({ model, usage, charged, costUsd, durationMs }: Spoken): readonly string[] {
  const tokens =
    charged === undefined
      ? `${count(inputTokens(usage))} tokens in, ${count(usage.output)} out`
      : unreportedText(charged);
  return [code(model), tokens, duration(durationMs), ...(costUsd === null ? [] : [usd(costUsd)])];
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Invariant 1. */
function fence(content: Json): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${marks}${typeof content === 'string' ? 'text' : 'json'}\n${text}\n${marks}`;
}

/** In a line of its own. */
function code(content: Json): string {
  const text = asText(content).replace(/\s+/g, ' ').trim();
  const marks = '`'.repeat(longestRun(text) + 1);
  // What begins or ends with a mark needs room; so does nothing at all.
  return text === '' || /^`|`$/.test(text) ? `${marks} ${text} ${marks}` : `${marks}${text}${marks}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
