/**
 * The items of a chain as lines: thought, call, result, answer, notice. Requests are in `request-lines.ts`.
 *
 * `short` is for readers who follow a chain. `full` adds usage, for readers of one step or a report.
 */

import {
  formatCacheAge,
  formatCount,
  formatDuration,
  formatMaxCost,
  formatToolName,
  type Json,
  shorten,
  toOneLine,
  toValueText,
} from '../../lib/index.js';
import {
  type ActivityAttempts,
  type AnswerRepair,
  type AttemptFailure,
  type BlockRule,
  type CallStatus,
  formatFile,
  hasResult,
  type ReplyBlock,
  type StoredContent,
  type StoredParts,
} from '../../model/index.js';
import { formatCombinedResults } from '../combined-results.js';
import { formatConfidence, formatUncertainty } from '../confidence.js';
import { toContentBlock } from '../content-block.js';
import { splitFindings } from '../findings.js';
import type { NoticeStep, StepKind } from '../reasoning.js';
import type { FullStep, StepView } from '../reasoning-view.js';
import type { WhySource } from '../why.js';
import { listChargeNotes, listChargeRemarks } from './charge-lines.js';
import { createLine, createNamedLabel, createSignLabel, type Line, type Remark, type Style, toWords } from './line.js';
import { formatModelCallLines } from './model-call-lines.js';
import { formatRequestLines } from './request-lines.js';

export type Detail = 'short' | 'full';

type FullStepOf<K extends StepKind> = Extract<FullStep, { kind: K }>;

/** The chain of an item, as far as its lines need it. */
interface ItemChain {
  readonly steps: readonly StepView[];
}

/** @param attempts attempts of the call of a result */
export function formatItemLines(
  step: StepView,
  detail: Detail,
  chain: ItemChain,
  attempts: ActivityAttempts | null = null,
): readonly Line[] {
  const [first, ...more] = formatContentLines(step, detail, attempts);
  const asked = step.level === 'full' ? formatModelCallLines(step, detail) : [];
  if (first === undefined) return asked;
  const notes = [...first.notes, ...listWhyNotes(step, detail, chain)];
  const remarks = [...first.remarks, ...(detail === 'full' ? listCombinationRemarks(step) : [])];
  return [...asked, { ...first, notes, remarks }, ...more];
}

export const whySources: { readonly [by in WhySource]: string } = {
  task: ' (plan task)',
  tool: ' (tool)',
  thought: ' (thought)',
  results: '',
  rule: '',
};

/** A line at `summary` has it already. */
export function listCombinationRemarks(step: StepView): readonly string[] {
  if (step.level !== 'full' || step.combines === undefined) return [];
  return [`combines ${formatCombinedResults(step.combines)}`];
}

/**
 * The reason is omitted where the reader sees the thought, which contains more, and where an item of the same step has it
 * already.
 */
function listWhyNotes(step: StepView, detail: Detail, { steps }: ItemChain): readonly string[] {
  if (step.level === 'hidden' || step.why === undefined) return [];
  const isThought = ({ kind, number }: StepView) => kind === 'thinking' && number === step.number;
  if (steps.some((other) => other.level === 'full' && isThought(other))) return [];
  const { text, by } = step.why;
  const isSame = (other: StepView) =>
    other.number === step.number && other.level !== 'hidden' && other.why?.text === text;
  if (steps.find(isSame)?.id !== step.id) return [];
  return [`Why${detail === 'full' ? whySources[by] : ''}: ${text}`];
}

function formatContentLines(step: StepView, detail: Detail, attempts: ActivityAttempts | null): readonly Line[] {
  if (step.level === 'hidden') {
    return detail === 'short' ? [] : [createLine(createKindLabel(step), { remarks: ['not shown'] })];
  }
  if (step.level === 'summary') return [createLine(createKindLabel(step), { content: step.summary })];
  switch (step.kind) {
    case 'thinking':
      return [
        ...formatThoughtLines(step),
        ...(detail === 'full' && step.reply !== undefined ? [formatReplyLine(step.reply)] : []),
      ];
    case 'tool_call':
      return formatCallLines(step, detail);
    case 'approval':
      return formatRequestLines(step, detail);
    case 'tool_result':
      return [formatToolResult(step, detail, listResultRemarks(step, detail, attempts))];
    case 'synthesis':
      return [formatAnswerLine(step, detail)];
    case 'notice':
      return [formatNoticeLine(step)];
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

/** Label of an item at `summary` or `hidden`. */
function createKindLabel(step: Exclude<StepView, FullStep>) {
  const { kind, sign } = kindLabels[step.kind];
  if (step.level === 'hidden') return createNamedLabel(kind, 'faint');
  const styles: { readonly [kind in StepKind]?: Style } = {
    approval: 'person',
    notice: 'warning',
    synthesis: 'good',
    tool_result: getResultStyle(step.status),
  };
  return createSignLabel(kind, sign, styles[step.kind] ?? 'faint');
}

/** Leaves out a thought without text. */
export function formatThoughtLines({
  thought,
  problem,
}: Pick<FullStepOf<'thinking'>, 'thought' | 'problem'>): readonly Line[] {
  return [
    ...(thought === null ? [] : [createLine(createNamedLabel('thinking', 'thought'), { content: thought })]),
    ...(problem === null ? [] : [createLine(createNamedLabel('unreadable', 'warning'), { content: problem })]),
  ];
}

/** Formats a reply that could not be parsed, whole. */
function formatReplyLine(reply: readonly ReplyBlock[]): Line {
  const text = reply.map(formatReplyBlock).join('\n');
  return createLine(createNamedLabel('reply', 'warning'), { content: text, remarks: text === '' ? ['empty'] : [] });
}

function formatReplyBlock(block: ReplyBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return `[thinking] ${block.thinking}`;
    case 'redacted_thinking':
      return '[thinking, encrypted by the provider]';
    case 'tool_use':
      return `[call ${block.name} ${block.id}] ${toValueText(block.input)}`;
  }
}

interface CallContent {
  readonly tool: string;
  readonly toolKind: string;
  readonly input: Json;
  /** In place of the arguments. */
  readonly line?: string | undefined;
}

function formatCallLine({ tool, toolKind, input, line }: CallContent, more: Partial<Line> = {}): Line {
  const kind = toolKind === 'external' ? 'tool' : toolKind;
  const name = formatToolName(tool, toolKind, input);
  const content: Partial<Line> =
    line === undefined ? { content: input, form: 'arguments' } : { content: line, form: 'value' };
  return createLine(createNamedLabel(kind, 'call', name), { ...content, ...more });
}

function formatToolResult(
  step: FullStepOf<'tool_result'>,
  detail: Detail,
  [remarks, notes]: ReturnType<typeof listResultRemarks>,
): Line {
  if (detail === 'short') return formatResultLine(step, remarks, notes);
  return layOut(formatResultLine({ ...step, line: undefined }, remarks, notes), step.block, step.observation);
}

/** Returns the line with the value as a block, where it fits the rule. */
function layOut(line: Line, rule: BlockRule | undefined, value: Json): Line {
  const block = toContentBlock(rule, value);
  return block === null ? line : { ...line, block, content: block.rest ?? '', form: 'arguments' };
}

/** A running call has its current arguments; an ended one the model's. */
function formatCallLines(step: FullStepOf<'tool_call'>, detail: Detail): readonly Line[] {
  const { status, input, changedFrom, attempts, cost, repeats = [] } = step;
  const original: CallContent = changedFrom === undefined ? step : { ...step, input: changedFrom, line: undefined };
  if (detail === 'full') {
    const changed = createLine(createNamedLabel('changed to', 'person'), { content: input, form: 'arguments' });
    const { block } = step;
    const from = repeats.length === 0 ? [] : [`repeats ${repeats.join(', ')}`];
    const remarks = [toWords(status), ...(attempts === null ? [] : listAttemptRemarks(attempts)), ...from];
    return [
      layOut(
        formatCallLine(
          { ...original, line: undefined },
          { remarks: [...remarks, ...listCostRemarks(cost)], notes: listFailureNotes(attempts) },
        ),
        block,
        original.input,
      ),
      ...(changedFrom === undefined ? [] : [layOut(changed, block, input)]),
    ];
  }
  if (status !== 'pending') return [formatCallLine(original)];
  const remarks = [
    ...(changedFrom === undefined ? [] : ['changed by a person']),
    ...(attempts === null ? [] : [describePendingCall(attempts)]),
    ...listCostRemarks(cost),
  ];
  return [formatCallLine(step, { remarks })];
}

function listCostRemarks(cost: FullStepOf<'tool_call'>['cost']): readonly string[] {
  return cost === undefined ? [] : [formatMaxCost(cost)];
}

function describePendingCall({ made, lastFailure, endedEventId }: ActivityAttempts): Remark {
  if (made === 0) return 'no result yet';
  if (endedEventId !== null) {
    return { text: lastFailure === null ? 'ended' : `failed: “${shortenFailure(lastFailure.message)}”` };
  }
  const failed = lastFailure === null ? '' : `, after “${shortenFailure(lastFailure.message)}”`;
  return { text: `running, attempt ${made}${failed}` };
}

function listAttemptRemarks({ made, worker, scheduledEventId, endedEventId }: ActivityAttempts): readonly Remark[] {
  return [
    made === 0 ? 'waits for a worker' : `${made} ${made === 1 ? 'attempt' : 'attempts'}`,
    ...(worker === null ? [] : [{ text: `worker ${worker}` }]),
    `events ${scheduledEventId}${endedEventId === null ? '' : ` to ${endedEventId}`}`,
  ];
}

function listFailureNotes(attempts: ActivityAttempts | null): readonly string[] {
  const failure = attempts?.lastFailure ?? null;
  if (failure === null) return [];
  return [`Last failure: ${nameFailure(failure)}${failure.message}`, ...listStackNotes(failure)];
}

/** Types that add nothing to the message. */
const plainTypes: ReadonlySet<string> = new Set(['Error', 'ToolError', 'NotDone', 'timeout', 'cancelled', 'lost']);

export function nameFailure({ type }: Pick<AttemptFailure, 'type'>): string {
  return plainTypes.has(type) ? '' : `${type}: `;
}

/** A row for each frame. */
export function listStackNotes({ stack }: Pick<AttemptFailure, 'stack'>): readonly string[] {
  return stack === null ? [] : stack.split('\n');
}

/** Rows of a failure; `--step` prints the rest. */
const maxFailureRows = 4;

export interface ResultContent {
  readonly status: CallStatus;
  readonly observation: Json;
  /** In place of the observation. */
  readonly line?: string | undefined;
}

export function formatResultLine(
  { status, observation, line }: ResultContent,
  remarks: readonly Remark[] = [],
  notes: readonly string[] = [],
): Line {
  const style = getResultStyle(status);
  const label = createSignLabel('result', '→', style);
  if (style === 'good') return createLine(label, { content: line ?? observation, form: 'value', remarks, notes });
  return createLine(label, {
    content: formatFailure(status, toValueText(observation)),
    style,
    maxRows: maxFailureRows,
    remarks,
    notes,
  });
}

/** A rejection is not an error. */
function getResultStyle(status: Extract<StepView, { level: 'summary' }>['status']): Style {
  if (hasResult(status)) return 'good';
  return status === 'denied' || status === 'not_permitted' ? 'warning' : 'bad';
}

/** Statuses whose observations are Longhand's own sentences and already contain the status. */
const selfDescribing: ReadonlySet<CallStatus> = new Set(['denied', 'not_permitted', 'not_run', 'unknown']);

/** Statuses of calls that never ran. */
const untimedStatuses: ReadonlySet<CallStatus> = new Set(['not_permitted', 'not_run']);

function formatFailure(status: CallStatus, observation: string): string {
  return selfDescribing.has(status) ? observation : `${toWords(status)}: ${observation}`;
}

function listResultRemarks(
  step: FullStepOf<'tool_result'>,
  detail: Detail,
  attempts: ActivityAttempts | null,
): readonly [remarks: readonly Remark[], notes: readonly string[]] {
  const { tool, status, durationMs, reusedFrom, clippedFrom, cached, charges, summarized } = step;
  const isSummary = summarized !== undefined && summarized.failure === undefined;
  const remarks = [
    ...(detail === 'short' ? [] : [{ text: tool }, toWords(status)]),
    ...(durationMs === null || untimedStatuses.has(status) ? [] : [formatDuration(durationMs)]),
    ...(reusedFrom === null ? [] : [`as in call ${reusedFrom}`]),
    ...(cached === undefined ? [] : [formatCacheAge(cached.ageMs)]),
    ...listChargeRemarks(charges),
    ...(clippedFrom === null ? [] : [`${isSummary ? 'summary' : 'part'} of ${formatCount(clippedFrom)} bytes`]),
    ...(summarized === undefined ? [] : [{ text: formatSummarized(summarized) }]),
  ];
  if (detail === 'full') return [[...remarks, ...listStoredContentRemarks(step)], listChargeNotes(charges)];
  const files = (step.files ?? []).map((file) => ({ text: formatFile(file) }));
  const made = (step.artifacts ?? []).map(({ name }) => ({ text: `made ${name}` }));
  return [[...remarks, ...files, ...made], listRetryNotes(attempts)];
}

function formatSummarized({ model, failure }: NonNullable<StoredParts['summarized']>): string {
  return failure === undefined ? `by ${model}` : `not summarized by ${model}: ${failure}`;
}

/** Remarks on stored content, which `longhand chain blob` prints. */
function listStoredContentRemarks({
  correlationId,
  fullObservation: whole,
  files = [],
  artifacts = [],
}: StoredParts & { readonly correlationId: string }) {
  const sized = (content: StoredContent) => `${formatCount(content.bytes)} bytes, ${content.digest}`;
  return [
    ...(whole === undefined ? [] : [`stored content: blob ${correlationId}, ${sized(whole)}`]),
    ...files.map((file) => ({ text: `${formatFile(file)}, ${file.digest}` })),
    ...artifacts.map((made) => ({ text: `made ${made.name} (${made.mediaType}), ${sized(made)}` })),
  ];
}

function listRetryNotes(attempts: ActivityAttempts | null): readonly string[] {
  if (attempts === null || attempts.made < 2) return [];
  const { made, lastFailure } = attempts;
  return [`${made} attempts${lastFailure === null ? '' : `, last failure: “${shortenFailure(lastFailure.message)}”`}`];
}

function shortenFailure(failure: string): string {
  return shorten(toOneLine(failure), 60);
}

/** A low confidence is marked: `uncertain (40 %)`. */
function listConfidenceRemarks(confidence: number | null): readonly string[] {
  if (confidence === null) return [];
  return [formatUncertainty(confidence).replace(', ', '') || `confidence ${formatConfidence(confidence)}`];
}

const repairTexts: { readonly [repair in AnswerRepair]: string } = {
  code_fence: 'its code fence',
  text_around: 'the text around it',
  json: 'errors of its JSON',
  unwrapped: 'the object around it',
};

function formatAnswerLine(
  { conclusion, repairs = [], confidence, sources }: FullStepOf<'synthesis'>,
  detail: Detail,
): Line {
  const repaired =
    repairs.length === 0 ? [] : [`repaired: without ${repairs.map((repair) => repairTexts[repair]).join(' and ')}`];
  const sure = [...repaired, ...listConfidenceRemarks(confidence)];
  const label = createNamedLabel('answer', 'good');
  const { lines: notes, rest: content } = splitFindings(conclusion);
  if (detail === 'short') return createLine(label, { content, remarks: sure, notes });
  const from = (['cited', 'repeated'] as const).flatMap((by) => {
    const ids = sources.filter((source) => source.by === by).map(({ id }) => id);
    return ids.length === 0 ? [] : [`${by === 'cited' ? 'cites' : 'repeats'} ${ids.join(', ')}`];
  });
  return createLine(label, { content, remarks: [...sure, ...from], notes });
}

export function formatNoticeLine({ notice, text }: Pick<NoticeStep, 'notice' | 'text'>): Line {
  const label = () => {
    if (notice === 'closing_call') return createNamedLabel('summed up', 'thought');
    if (notice === 'resumed') return createSignLabel('resumed', '▶', 'good');
    if (notice === 'message') return createNamedLabel('message', 'person');
    if (notice === 'learned') return createNamedLabel('learned', 'thought');
    if (notice === 'plan_assessed') return createNamedLabel('assessment', 'thought');
    if (notice === 'reflected') return createNamedLabel('reflection', 'thought');
    if (notice === 'notes_written') return createNamedLabel('notes', 'thought');
    return notice === 'plan_changed'
      ? createSignLabel('plan_changed', '≡', 'thought')
      : createSignLabel('notice', '⚠', 'warning');
  };
  return createLine(label(), { content: text });
}
