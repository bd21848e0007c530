/**
 * The items of a chain as lines: a thought, a call, its result, a conclusion, a notice. What people were asked is in
 * `request-lines.ts`.
 *
 * `short` is for readers who follow a chain. `whole` has what the item took besides, for readers of one step or a report.
 */

import { cachedText, count, duration, shorten, unreportedText, usd } from '../lib/display.js';
import { asText, type Json } from '../lib/json.js';
import { oneLine } from '../lib/plain.js';
import type { Attempts } from '../model/activity.js';
import type { CallStatus } from '../model/chain.js';
import type { Kept, Whole } from '../model/kept.js';
import type { Usage } from '../model/model.js';
import { totalTokens } from '../model/usage.js';
import type { NoticeStep, Spoken, StepKind } from '../view/reasoning.js';
import type { FullStep, StepView } from '../view/reasoning-view.js';
import { type Fact, inWords, type Line, lineOf, named, type Style, signed } from './line.js';
import { requestLines } from './request-lines.js';

export type Detail = 'short' | 'whole';

type Full<K extends StepKind> = Extract<FullStep, { kind: K }>;

/** @param attempts of the call that a result belongs to */
export function itemLines(step: StepView, detail: Detail, attempts: Attempts | null = null): readonly Line[] {
  if (step.level === 'hidden') {
    return detail === 'short' ? [] : [lineOf(kindLabel(step), { facts: ['not shown'] })];
  }
  if (step.level === 'summary') return [lineOf(kindLabel(step), { said: step.summary })];
  switch (step.kind) {
    case 'thinking':
      return thoughtLines(step, detail === 'whole' ? spokenFacts(step.spoken, detail) : null);
    case 'tool_call':
      return callLines(step, detail);
    case 'approval':
      return requestLines(step, detail);
    case 'tool_result':
      return [resultLine(step, ...resultRemarks(step, detail, attempts))];
    case 'synthesis':
      return [answerLine(step, detail)];
    case 'notice':
      return [noticeLine(step)];
  }
}

const kindLabels: { readonly [kind in StepKind]: { readonly kind: string; readonly sign: string } } = {
  thinking: { kind: 'thinking', sign: '•' },
  tool_call: { kind: 'tool', sign: '•' },
  approval: { kind: 'request', sign: '?' },
  tool_result: { kind: 'result', sign: '→' },
  synthesis: { kind: 'answer', sign: '•' },
  notice: { kind: 'notice', sign: '⚠' },
};

/** Of an item that is summed up or hidden. */
function kindLabel(step: Exclude<StepView, FullStep>) {
  const { kind, sign } = kindLabels[step.kind];
  if (step.level === 'hidden') return named(kind, 'faint');
  const styles: { readonly [kind in StepKind]?: Style } = {
    approval: 'person',
    notice: 'warning',
    synthesis: 'good',
    tool_result: resultStyle(step.status),
  };
  return signed(kind, sign, styles[step.kind] ?? 'faint');
}

/** @param facts on what the reply took; null leaves out a thought without words */
export function thoughtLines(
  { thought, problem }: Pick<Full<'thinking'>, 'thought' | 'problem'>,
  facts: readonly Fact[] | null = null,
): readonly Line[] {
  return [
    ...(thought === null && facts === null
      ? []
      : [lineOf(named('thinking', 'thought'), { said: thought ?? '', facts: facts ?? [] })]),
    ...(problem === null ? [] : [lineOf(named('unreadable', 'warning'), { said: problem })]),
  ];
}

/** What a reply of the model took. @param usual the chain's model, which needs no mention */
export function spokenFacts(spoken: Spoken, detail: Detail, usual: string | null = null): readonly Fact[] {
  const { model, usage, charged, costUsd, durationMs, attempts } = spoken;
  const reported = detail === 'short' ? [`${count(totalTokens(usage))} tokens`] : usageFacts(usage);
  return [
    ...(usual !== null && model.startsWith(usual) ? [] : [{ said: model }]),
    duration(durationMs),
    ...(charged === undefined ? reported : [unreportedText(charged)]),
    ...(costUsd === null ? [] : [usd(costUsd)]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
  ];
}

function usageFacts({ input, output, cacheRead, cacheWrite, thinking }: Usage): readonly string[] {
  return [
    `${count(input)} tokens in`,
    ...(cacheRead > 0 ? [`${count(cacheRead)} from the cache`] : []),
    ...(cacheWrite > 0 ? [`${count(cacheWrite)} into the cache`] : []),
    `${count(output)} out${thinking > 0 ? ` (${count(thinking)} thinking)` : ''}`,
  ];
}

export function callLine(
  { tool, toolKind, input }: { readonly tool: string; readonly toolKind: string; readonly input: Json },
  more: Partial<Line> = {},
): Line {
  const kind = toolKind === 'external' ? 'tool' : toolKind;
  return lineOf(named(kind, 'call', tool), { said: input, form: 'arguments', ...more });
}

/** While it runs with its arguments as they are now; once it has ended as the model asked for it. */
function callLines(step: Full<'tool_call'>, detail: Detail): readonly Line[] {
  const { status, input, changedFrom, attempts } = step;
  const asked = { ...step, input: changedFrom ?? input };
  if (detail === 'whole') {
    const changed = lineOf(named('changed to', 'person'), { said: input, form: 'arguments' });
    const facts = [inWords(status), ...(attempts === null ? [] : attemptFacts(attempts))];
    return [callLine(asked, { facts, notes: failureNotes(attempts) }), ...(changedFrom === undefined ? [] : [changed])];
  }
  if (status !== 'pending') return [callLine(asked)];
  const facts = [
    ...(changedFrom === undefined ? [] : ['changed by a person']),
    ...(attempts === null ? [] : [underWay(attempts)]),
  ];
  return [callLine(step, { facts })];
}

function underWay({ made, lastFailure }: Attempts): Fact {
  if (made === 0) return 'no result yet';
  const failed = lastFailure === null ? '' : `, after “${quoted(lastFailure)}”`;
  return { said: `running, attempt ${made}${failed}` };
}

function attemptFacts({ made, worker, scheduledEventId, endedEventId }: Attempts): readonly Fact[] {
  return [
    made === 0 ? 'waits for a worker' : `${made} ${made === 1 ? 'attempt' : 'attempts'}`,
    ...(worker === null ? [] : [{ said: `worker ${worker}` }]),
    `events ${scheduledEventId}${endedEventId === null ? '' : ` to ${endedEventId}`}`,
  ];
}

function failureNotes(attempts: Attempts | null): readonly string[] {
  return attempts?.lastFailure == null ? [] : [`The last attempt that failed: ${attempts.lastFailure}`];
}

/** Rows of what went wrong; `--step` prints the rest. */
const mostRows = 4;

export interface Result {
  readonly status: CallStatus;
  readonly observation: Json;
}

export function resultLine(
  { status, observation }: Result,
  facts: readonly Fact[] = [],
  notes: readonly string[] = [],
): Line {
  const style = resultStyle(status);
  const label = signed('result', '→', style);
  if (style === 'good') return lineOf(label, { said: observation, form: 'value', facts, notes });
  return lineOf(label, { said: failedText(status, asText(observation)), style, rows: mostRows, facts, notes });
}

/** A denial is nobody's fault. */
function resultStyle(status: Extract<StepView, { level: 'summary' }>['status']): Style {
  if (status === 'ok' || status === 'reused' || status === 'answered') return 'good';
  return status === 'denied' ? 'warning' : 'bad';
}

/** Observations that say themselves what became of the call. */
const saysItself: { readonly [status in CallStatus]?: RegExp } = {
  denied: /^/,
  not_run: /^Not run\b/,
  unknown: / is unknown\b/,
};

function failedText(status: CallStatus, said: string): string {
  return saysItself[status]?.test(said) ? said : `${inWords(status)}: ${said}`;
}

function resultRemarks(
  step: Full<'tool_result'>,
  detail: Detail,
  attempts: Attempts | null,
): readonly [facts: readonly Fact[], notes: readonly string[]] {
  const { tool, status, durationMs, reusedFrom, clippedFrom, cached } = step;
  const facts = [
    ...(detail === 'short' ? [] : [{ said: tool }, inWords(status)]),
    ...(durationMs === null || status === 'not_run' ? [] : [duration(durationMs)]),
    ...(reusedFrom === null ? [] : [`as in call ${reusedFrom}`]),
    ...(cached === undefined ? [] : [cachedText(cached.ageMs)]),
    ...(clippedFrom === null ? [] : [`part of ${count(clippedFrom)} bytes`]),
  ];
  if (detail === 'whole') return [[...facts, ...keptFacts(step)], []];
  const made = (step.artifacts ?? []).map(({ artifact }) => ({ said: `made ${artifact}` }));
  return [[...facts, ...made], retryNotes(attempts)];
}

/** `longhand chain blob` prints them. */
function keptFacts({ correlationId, whole, artifacts = [] }: Kept & { readonly correlationId: string }) {
  const sized = (content: Whole) => `${count(content.bytes)} bytes, ${content.digest}`;
  return [
    ...(whole === undefined ? [] : [`the whole is kept: blob ${correlationId}, ${sized(whole)}`]),
    ...artifacts.map((made) => ({ said: `made ${made.artifact} (${made.mediaType}), ${sized(made)}` })),
  ];
}

function retryNotes(attempts: Attempts | null): readonly string[] {
  if (attempts === null || attempts.made < 2) return [];
  const { made, lastFailure } = attempts;
  return [`${made} attempts${lastFailure === null ? '' : `, the one before: “${quoted(lastFailure)}”`}`];
}

function quoted(failure: string): string {
  return shorten(oneLine(failure), 60);
}

function answerLine({ conclusion, confidence, spoken, sources }: Full<'synthesis'>, detail: Detail): Line {
  const sure = confidence === null ? [] : [`confidence ${Math.round(confidence * 100)} %`];
  const label = named('answer', 'good');
  if (detail === 'short') return lineOf(label, { said: conclusion, facts: sure });
  const took = spoken === null ? [] : spokenFacts(spoken, detail);
  const from = sources.length === 0 ? [] : [`from ${sources.join(', ')}`];
  return lineOf(label, { said: conclusion, facts: [...took, ...sure, ...from] });
}

export function noticeLine({ notice, text }: Pick<NoticeStep, 'notice' | 'text'>): Line {
  const label = () => {
    if (notice === 'closing') return named('summed up', 'thought');
    if (notice === 'message') return named('message', 'person');
    return notice === 'plan' ? signed('plan', '≡', 'thought') : signed('notice', '⚠', 'warning');
  };
  return lineOf(label(), { said: text });
}
