/** One item of a chain as a branch: a thought, a call, a request, a result, an answer, a notice, with its label and what it took. */

import { cachedText, count, duration } from '../../core/lib/display.js';
import { asText } from '../../core/lib/json.js';
import { oneLine, plain } from '../../core/lib/plain.js';
import type { Attempts } from '../../core/model/attempts.js';
import type { FullStep, ReasoningView, StepView } from '../../core/view/reasoning-view.js';
import type { Colors } from '../terminal/colors.js';
import { argumentsText, columns, cut, wrapped } from '../terminal/text.js';
import { approvalBranch } from './approval-branch.js';
import type { Branch } from './branch.js';
import type { FailurePoint } from './failure-point.js';

export interface Look {
  readonly c: Colors;
  readonly chain: Pick<ReasoningView, 'model' | 'steps' | 'children'>;
  readonly failure: FailurePoint | null;
}

type Full<K extends FullStep['kind']> = Extract<FullStep, { kind: K }>;
type Paint = (text: string) => string;

/** None for what is hidden: that it is there is told by its step. */
export function itemBranches(step: StepView, look: Look): readonly Branch[] {
  const { c } = look;
  if (step.level === 'hidden') return [];
  if (step.level === 'summary') return [summed(step, look)];
  switch (step.kind) {
    case 'thinking':
      return thought(step, look);
    case 'tool_call':
      return [called(step, look)];
    case 'approval':
      return [approvalBranch(step, c)];
    case 'tool_result':
      return [result(step, look)];
    case 'synthesis':
      return [answer(step, look)];
    case 'notice':
      if (step.notice === 'closing') return [said(c.cyan, '[SUMMED UP]', step.text, look, step)];
      if (step.notice === 'message') return [said(c.blue, '[MESSAGE]', step.text, look, step)];
      if (step.notice === 'plan') return [said(c.cyan, '≡', step.text, look, step)];
      return [said(c.yellow, '⚠', step.text, look, step)];
  }
}

export function isMarked({ id }: { readonly id: string }, { failure }: Look): boolean {
  return failure?.kind === 'item' && failure.id === id;
}

export function markOf({ c, failure }: Look): string {
  return `  ${c.red(c.bold(`◀ ${failure?.words ?? ''}`))}`;
}

/** A summary says in words what a label would. */
function summed(step: Extract<StepView, { level: 'summary' }>, look: Look): Branch {
  const { c } = look;
  const { kind, status, summary } = step;
  if (kind === 'tool_result') return said(c[paintOf(status)], '→', summary, look, step);
  if (kind === 'approval') return said(c.blue, '?', summary, look, step);
  if (kind === 'notice') return said(c.yellow, '⚠', summary, look, step);
  return said(kind === 'synthesis' ? c.green : c.dim, '•', summary, look, step);
}

function thought(step: Full<'thinking'>, look: Look): readonly Branch[] {
  const { c } = look;
  return [
    ...(step.thought === null ? [] : [said(c.cyan, '[THINKING]', step.thought, look, step)]),
    ...(step.problem === null ? [] : [said(c.yellow, '[UNREADABLE]', step.problem, look, step)]),
  ];
}

/** With what it is about now; once it has ended as the model asked for it: its requests tell how that came to be changed. */
function called(step: Full<'tool_call'>, look: Look): Branch {
  const kind = step.toolKind === 'external' ? 'TOOL' : oneLine(step.toolKind).toUpperCase();
  const label = `[${kind}: ${oneLine(step.tool)}]`;
  const pending = step.status === 'pending';
  const input = pending ? step.input : (step.changedFrom ?? step.input);
  const facts = pending ? pendingFacts(step) : [];
  return inOneLine({ paint: look.c.magenta, label, words: argumentsText(input), facts }, look, step);
}

function pendingFacts({ changedFrom, attempts }: Full<'tool_call'>): readonly string[] {
  return [
    ...(changedFrom === undefined ? [] : ['changed by a person']),
    ...(attempts === null ? [] : attemptFacts(attempts)),
  ];
}

function attemptFacts(attempts: Attempts): readonly string[] {
  if (attempts.made === 0) return ['no result yet'];
  const failed = attempts.lastFailure === null ? '' : `, after “${cut(oneLine(attempts.lastFailure), 60)}”`;
  return [`running, attempt ${attempts.made}${failed}`];
}

function result(step: Full<'tool_result'>, look: Look): Branch {
  const { c } = look;
  const { status, observation, durationMs, reusedFrom, clippedFrom, cached, artifacts = [] } = step;
  const facts = [
    ...(durationMs === null || status === 'not_run' ? [] : [duration(durationMs)]),
    ...(reusedFrom === null ? [] : [`as in call ${reusedFrom}`]),
    ...(cached === undefined ? [] : [cachedText(cached.ageMs)]),
    ...(clippedFrom === null ? [] : [`part of ${count(clippedFrom)} bytes`]),
    ...artifacts.map(({ artifact }) => `made ${oneLine(artifact)}`),
  ];
  const tried = (room: number) => attemptLines(step, look).map((line) => `  ${c.dim(cut(line, room - 2))}`);
  const color = paintOf(status);
  const paint = c[color];
  if (color === 'green') {
    const { lines } = inOneLine({ paint, label: '→', words: oneLine(asText(observation)), facts }, look, step);
    return { lines: (room) => [...lines(room), ...tried(room)], under: [] };
  }
  const text = failedText(status, asText(observation));
  const end = facts.length > 0 ? `  ${facts.join(' · ')}` : '';
  const mark = isMarked(step, look) ? markOf(look) : '';
  const lines = (room: number) => {
    const all = wrapped(text, room - 2);
    const kept = all.length > mostLines ? [...all.slice(0, mostLines), '…'] : all;
    const last = kept.at(-1) ?? '';
    // What it took stands on a line of its own where the last has no room for it.
    const beside = columns(last) + columns(end) <= room - 2;
    const shown = kept.map((line, at) => `${at === 0 ? `${paint('→')} ` : '  '}${paint(line)}`);
    const words = [...shown.slice(0, -1), `${shown.at(-1) ?? ''}${beside ? c.dim(end) : ''}${mark}`];
    return [...words, ...(beside ? [] : [c.dim(cut(end, room))]), ...tried(room)];
  };
  return { lines, under: [] };
}

type Status = Full<'tool_result'>['status'];

/** What the model is told of these says already what became of them. */
const saysItself: { readonly [status in Status]?: RegExp } = {
  denied: /^/,
  not_run: /^Not run\b/,
  unknown: / is unknown\b/,
};

function failedText(status: Status, said: string): string {
  return saysItself[status]?.test(said) ? said : `${status.replace('_', ' ')}: ${said}`;
}

/** A denial is nobody's fault. */
function paintOf(status: Extract<StepView, { level: 'summary' }>['status']): 'green' | 'yellow' | 'red' {
  if (status === 'ok' || status === 'reused' || status === 'answered') return 'green';
  return status === 'denied' ? 'yellow' : 'red';
}

/** Lines of what went wrong; the rest is in the step whole. */
const mostLines = 4;

/** The attempts are on the call; they are told where it ended. */
function attemptLines({ correlationId }: Full<'tool_result'>, { chain }: Look): readonly string[] {
  const call = chain.steps.find((step) => step.id === correlationId);
  if (call?.level !== 'full' || call.kind !== 'tool_call' || call.attempts === null || call.attempts.made < 2)
    return [];
  const { made, lastFailure } = call.attempts;
  return [`${made} attempts${lastFailure === null ? '' : `, the one before: “${cut(oneLine(lastFailure), 60)}”`}`];
}

function answer(step: Full<'synthesis'>, look: Look): Branch {
  const { c } = look;
  const { conclusion, confidence } = step;
  const sure = confidence === null ? '' : ` (confidence ${Math.round(confidence * 100)} %)`;
  if (typeof conclusion === 'string') return said(c.green, '[ANSWER]', conclusion + sure, look, step);
  const lines = plain(JSON.stringify(conclusion, null, 2)).split('\n');
  return { lines: (room) => [`${c.green('[ANSWER]')}${sure}`, ...lines.map((line) => cut(line, room))], under: [] };
}

/** A label and words that break into lines under one another. */
function said(paint: Paint, label: string, words: string, look: Look, step: StepView): Branch {
  const mark = isMarked(step, look) ? markOf(look) : '';
  const indent = ' '.repeat(columns(label) + 1);
  const lines = (room: number) =>
    wrapped(words, Math.max(20, room - indent.length)).map((line, at) =>
      at === 0 ? `${paint(label)} ${line}${mark}` : indent + line,
    );
  return { lines, under: [] };
}

interface Line {
  readonly paint: Paint;
  readonly label: string;
  readonly words: string;
  readonly facts: readonly string[];
}

/** The words give way to what the item took, and that to the first of the words. */
function inOneLine({ paint, label, words, facts }: Line, look: Look, step: StepView): Branch {
  const mark = isMarked(step, look) ? markOf(look) : '';
  const end = facts.length > 0 ? `  ${facts.join(' · ')}` : '';
  const line = (room: number) => {
    const rest = room - columns(label) - 1;
    const shown = cut(words, Math.max(Math.min(leastWords, columns(words)), rest - columns(end)));
    return `${paint(label)} ${shown}`.trimEnd() + look.c.dim(cut(end, Math.max(0, rest - columns(shown)))) + mark;
  };
  return { lines: (room) => [line(room)], under: [] };
}

/** Columns of the words that stay, whatever stands behind them. */
const leastWords = 24;
