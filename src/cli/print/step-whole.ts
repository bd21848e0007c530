/** One step with nothing left out: every word, what each call went through, and what the reply took. */

import { cachedText, count, duration, longDuration, unreportedText, usd } from '../../core/lib/display.js';
import type { Json } from '../../core/lib/json.js';
import { oneLine, plain, plainJson } from '../../core/lib/plain.js';
import { approvalsOf } from '../../core/model/ask.js';
import type { Attempts } from '../../core/model/attempts.js';
import type { Kept, Whole } from '../../core/model/kept.js';
import type { Usage } from '../../core/model/model.js';
import { askFacts, decidedText } from '../../core/state/decided-text.js';
import type { Spoken } from '../../core/view/reasoning.js';
import type { FullStep, ReasoningView, StepView } from '../../core/view/reasoning-view.js';
import { subChainText } from '../../core/view/sub-chain-text.js';
import { clock } from '../flags/when.js';
import type { Colors } from '../terminal/colors.js';

export function stepLines(steps: readonly StepView[], chain: ReasoningView, c: Colors): readonly string[] {
  const head = `${c.bold(c.cyan(`Step ${steps[0]?.number ?? 0}`))}  ${c.dim(`${chain.agent} · ${chain.chainId}`)}`;
  return [head, ...steps.flatMap((step) => ['', ...itemLines(step, c), ...chainLines(step, chain, c)])];
}

/** The chains that a call began. */
function chainLines({ kind, id }: StepView, { children }: ReasoningView, c: Colors): readonly string[] {
  const begun = kind === 'tool_call' && Object.hasOwn(children, id) ? (children[id] ?? []) : [];
  return begun.map((child) => c.blue(`  ${oneLine(child.chainId)}  ${oneLine(child.agent)}, ${subChainText(child)}`));
}

function itemLines(step: StepView, c: Colors): readonly string[] {
  const title = (more: string) => `${c.bold(step.id)}  ${c.cyan(step.kind)}${more === '' ? '' : `  ${oneLine(more)}`}`;
  if (step.level === 'hidden') return [title('not shown')];
  const at = c.dim(`  ${clock(step.at)}`);
  if (step.level === 'summary') return [title(step.tool ?? '') + at, ...indented(step.summary)];
  return fullLines(step, (more) => title(more) + at, c);
}

function fullLines(step: FullStep, title: (more: string) => string, c: Colors): readonly string[] {
  switch (step.kind) {
    case 'thinking':
      return [
        title(''),
        ...spokenLines(step.spoken, c),
        ...(step.thought === null ? [c.dim('  without words')] : indented(step.thought)),
        ...(step.problem === null ? [] : indented(`Could not be read: ${step.problem}`).map((line) => c.yellow(line))),
      ];
    case 'tool_call':
      return [
        title(`${step.tool} (${step.toolKind}), ${step.status.replace('_', ' ')}`),
        ...attemptLines(step.attempts, c),
        ...indented(pretty(step.changedFrom ?? step.input)),
        ...(step.changedFrom === undefined ? [] : [c.dim('  It was made with:'), ...indented(pretty(step.input))]),
      ];
    case 'approval':
      return approvalLines(step, title, c);
    case 'tool_result': {
      const { durationMs, reusedFrom, clippedFrom, cached } = step;
      const facts = [
        step.status.replace('_', ' '),
        ...(durationMs === null ? [] : [duration(durationMs)]),
        ...(reusedFrom === null ? [] : [`reused from call ${reusedFrom}`]),
        ...(cached === undefined ? [] : [cachedText(cached.ageMs)]),
        ...(clippedFrom === null ? [] : [`what the model was shown of ${count(clippedFrom)} bytes`]),
      ];
      return [title(`${step.tool}, ${facts.join(', ')}`), ...keptLines(step, c), ...indented(pretty(step.observation))];
    }
    case 'synthesis':
      return [
        title(step.confidence === null ? '' : `confidence ${step.confidence}`),
        ...(step.spoken === null ? [] : spokenLines(step.spoken, c)),
        ...(step.sources.length === 0 ? [] : [c.dim(`  from ${step.sources.join(', ')}`)]),
        ...indented(pretty(step.conclusion)),
      ];
    case 'notice':
      return [title(step.notice), ...indented(step.text)];
  }
}

/** `longhand chain blob` prints them. */
function keptLines({ correlationId, whole, artifacts = [] }: Kept & { correlationId: string }, c: Colors) {
  const named = (content: Whole) => `${count(content.bytes)} bytes, ${oneLine(content.digest)}`;
  return [
    ...(whole === undefined ? [] : [`the whole is kept: blob ${correlationId}, ${named(whole)}`]),
    ...artifacts.map((made) => `made ${oneLine(made.artifact)} (${oneLine(made.mediaType)}), ${named(made)}`),
  ].map((line) => c.dim(`  ${line}`));
}

function approvalLines(
  step: Extract<FullStep, { kind: 'approval' }>,
  title: (more: string) => string,
  c: Colors,
): readonly string[] {
  const { tool, request, status, reason, decisions, digest, durationMs } = step;
  const approved = approvalsOf(decisions).length;
  const facts = [...askFacts({ ...step, approved }), `digest ${digest}`];
  return [
    title(`${tool}, ${request}, ${status.replace('_', ' ')}`),
    c.dim(`  ${facts.map(oneLine).join(' · ')}`),
    ...indented(reason),
    ...(durationMs === null ? [] : [c.dim(`  decided after ${longDuration(durationMs)}`)]),
    ...decisions.flatMap((said) => [
      ...indented(decidedText(said, null, decisions)).map((line) => c.dim(`  ${clock(said.at)}`) + line),
      ...(said.roles.length === 0 ? [] : [c.dim(`    as ${said.roles.map(oneLine).join(', ')}`)]),
      ...(said.input === undefined ? [] : indented(pretty(said.input))),
    ]),
  ];
}

function spokenLines({ model, usage, charged, costUsd, durationMs, attempts }: Spoken, c: Colors): readonly string[] {
  const parts = [
    oneLine(model),
    duration(durationMs),
    ...(charged === undefined ? usageParts(usage) : [unreportedText(charged)]),
    ...(costUsd === null ? [] : [usd(costUsd)]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
  ];
  return [c.dim(`  ${parts.join(' · ')}`)];
}

function usageParts({ input, output, cacheRead, cacheWrite, thinking }: Usage): readonly string[] {
  return [
    `${count(input)} tokens in`,
    ...(cacheRead > 0 ? [`${count(cacheRead)} from the cache`] : []),
    ...(cacheWrite > 0 ? [`${count(cacheWrite)} into the cache`] : []),
    `${count(output)} out${thinking > 0 ? ` (${count(thinking)} thinking)` : ''}`,
  ];
}

function attemptLines(attempts: Attempts | null, c: Colors): readonly string[] {
  if (attempts === null) return [];
  const { made, worker, lastFailure, scheduledEventId, endedEventId } = attempts;
  const parts = [
    made === 0 ? 'waits for a worker' : `${made} ${made === 1 ? 'attempt' : 'attempts'}`,
    ...(worker === null ? [] : [`worker ${oneLine(worker)}`]),
    `events ${scheduledEventId}${endedEventId === null ? '' : ` to ${endedEventId}`}`,
  ];
  const failed = lastFailure === null ? [] : indented(`The last attempt that failed: ${lastFailure}`);
  return [`  ${parts.join(' · ')}`, ...failed].map((line) => c.dim(line));
}

function pretty(value: Json): string {
  return typeof value === 'string' ? value : plainJson(JSON.stringify(value, null, 2));
}

/** Not broken into lines: what is whole can be copied. */
function indented(text: string): readonly string[] {
  return plain(text)
    .split('\n')
    .map((line) => `  ${line}`);
}
