/** Formats each entry of a running chain as lines. L8: all texts pass the masker. */

import { formatCacheAge, formatDuration } from '../lib/display.js';
import { type Json, omitUndefined, parseJsonOrText } from '../lib/json.js';
import type { AttemptFailure } from '../model/activity.js';
import { type Call, hasResult, type Step } from '../model/chain.js';
import type { Notice } from '../model/notice.js';
import type { KnownTool } from '../model/origin.js';
import type { RequestKind } from '../model/request.js';
import { findControlTool } from '../state/control-tools.js';
import type { CallResult, ChainEntry } from '../state/entry.js';
import { formatCallByView, formatResultByView } from '../view/call-text.js';
import type { SnippetMasker } from '../view/snippet-masker.js';
import { toEndedProgress } from '../view/sub-chain.js';
import { getPreferences, type Preferences } from '../view/visibility.js';
import { isSwitchedOn } from '../view/visibility-level.js';
import { listChargeRemarks } from './charge-lines.js';
import { formatChildLine } from './child-lines.js';
import { formatInterimLine } from './interim-lines.js';
import {
  formatCallLine,
  formatNoticeLine,
  formatResultLine,
  formatThoughtLines,
  listStackNotes,
  nameFailure,
} from './item-lines.js';
import type { Line } from './line.js';
import { formatDecisionLine, formatWaitingLine } from './request-lines.js';

/** Maximum characters of a text, of a call's arguments, of a result, and of a result that its tool's template is filled from. */
export interface LengthLimits {
  readonly text: number;
  readonly input: number;
  readonly result: number;
  readonly template: number;
}

export const fullLengths: LengthLimits = { text: 200_000, input: 20_000, result: 4_000, template: 200_000 };

export interface LineContext {
  readonly masker: SnippetMasker;
  readonly lengths: LengthLimits;
  readonly tools: readonly KnownTool[];
  /** Whether the chain has a plan: its tasks have lines, so the calls that change it have none. */
  readonly hasPlan: boolean;
  /** Of the reader; all on by default. Requests to people and the end of the chain are printed regardless. */
  readonly preferences?: Preferences;
}

/** A context without tools. */
type MaskContext = Pick<LineContext, 'masker' | 'lengths'>;

type EntryOf<T extends ChainEntry['type']> = Extract<ChainEntry, { type: T }>;

/** The lines of a step: of its thought, and of each call, with the result of a call that does not run. */
export interface StepLines {
  readonly thought: readonly Line[];
  readonly calls: readonly { readonly id: string; readonly lines: readonly Line[] }[];
}

/** Returns no line for an answer: it is printed at the end of the chain. */
export function formatStepEntry({ step }: EntryOf<'step-added'>, around: LineContext): StepLines {
  return {
    thought: getPreferences(around).thinking ? formatThoughtEntry(step, around) : [],
    calls: step.calls.map((call) => ({
      id: call.id,
      lines: [
        ...(isPrinted(call, around) || hasFailed(call, around) ? [formatCallEntry(call, around)] : []),
        ...(call.status === 'pending' ? [] : formatObservation(call.tool, toCallResult(call), around)),
      ],
    })),
  };
}

export function formatThoughtEntry(
  { thought, problem }: Pick<Step, 'thought' | 'problem'>,
  { masker, lengths }: MaskContext,
): readonly Line[] {
  const text = (raw: string | null) => (raw === null ? null : masker.block(raw, lengths.text));
  return formatThoughtLines({ thought: text(thought), problem: text(problem) });
}

/** The lines of tasks show the effect of a call on the plan. */
function isPrinted(call: Pick<Call, 'tool'>, around: LineContext): boolean {
  return (!around.hasPlan || findControlTool(call.tool) === null) && isCallSwitchedOn(call, around);
}

/** A failed call changed nothing in the plan: no task shows it. */
function hasFailed({ tool, status }: Pick<Call, 'tool' | 'status'>, around: LineContext): boolean {
  return status !== 'pending' && !hasResult(status) && isCallSwitchedOn({ tool }, around);
}

/** Whether the reader's switches leave the calls of a tool on. */
export function isCallSwitchedOn(
  { tool }: Pick<Call, 'tool'>,
  around: Pick<LineContext, 'tools' | 'preferences'>,
): boolean {
  return isSwitchedOn({ kind: 'tool_call', toolKind: findToolKind(tool, around.tools) }, getPreferences(around));
}

function findToolKind(tool: string, tools: readonly KnownTool[]): string {
  return tools.find(({ name }) => name === tool)?.kind ?? 'external';
}

function findView(tool: string, tools: readonly KnownTool[]): KnownTool['view'] {
  return tools.find(({ name }) => name === tool)?.view ?? {};
}

function formatCallEntry({ tool, input: asked }: Call, { masker, tools, lengths }: LineContext): Line {
  const input = maskValue(masker, tool, asked, lengths.input);
  const line = formatCallByView(findView(tool, tools), input) ?? undefined;
  return formatCallLine({ tool, toolKind: findToolKind(tool, tools), input, line });
}

/** Formats the interim result of a running call. */
export function formatInterimEntry(tool: string, value: Json, { masker, lengths }: MaskContext): Line {
  return formatInterimLine(maskValue(masker, tool, value, lengths.text), tool);
}

/** Returns a masked value; of one that is too long a text, its start. */
export function maskValue(shown: SnippetMasker, tool: string, value: Json, length: number): Json {
  return toShown(shown.value(tool, value, length), value);
}

/** Returns a masked value: JSON, if it is complete after the cut. */
function toShown(text: string, value: Json): Json {
  return typeof value === 'string' ? text : parseJsonOrText(text);
}

export interface ObservationFacts {
  /** Of the tool's last attempt. */
  readonly failure?: AttemptFailure | undefined;
  /** Without the time spent waiting for people. Absent if unknown. */
  readonly durationMs?: number;
}

/** A shorter call needs no duration on a line that is printed when it ends. */
const notableMs = 1_000;

export function formatObservation(
  tool: string,
  settled: CallResult,
  around: LineContext,
  { failure, durationMs = 0 }: ObservationFacts = {},
): readonly Line[] {
  const { status, observation } = settled;
  if (!isCallSwitchedOn({ tool }, around)) {
    around.masker.rememberResult(tool, observation);
    return [];
  }
  if (status === 'ok' && !isPrinted({ tool }, around)) return [];
  // The decision's line contains the person and the reason.
  if (status === 'denied') return [];
  const remarks = [
    ...(durationMs < notableMs ? [] : [formatDuration(durationMs)]),
    ...(status === 'reused' ? [`as in call ${observation}`] : []),
    ...(settled.cached === undefined ? [] : [formatCacheAge(settled.cached.ageMs)]),
    ...listChargeRemarks(settled.charges),
  ];
  const view = findView(tool, around.tools);
  const hasLine = hasResult(status) && (view.response !== undefined || view.block !== undefined);
  const { masker, lengths } = around;
  const line = hasLine ? formatResultByView(view, maskValue(masker, tool, observation, lengths.template)) : null;
  const content = line ?? (status === 'reused' ? '' : masker.value(tool, observation, lengths.result));
  const name = failure === undefined ? '' : nameFailure({ type: around.masker.line(failure.type, 200) });
  return [formatResultLine({ status, observation: name + content }, remarks, maskStack(failure, around))];
}

/** A stack has a bounded size. */
function maskStack(failure: AttemptFailure | undefined, { masker, lengths }: MaskContext): readonly string[] {
  return failure === undefined ? [] : listStackNotes(failure).map((row) => masker.line(row, lengths.text));
}

export function toCallResult(call: Call): CallResult {
  const { id, status, reusedFrom, observation, clippedFrom, charges, cached } = call;
  const shown = status === 'reused' ? (reusedFrom ?? '') : observation;
  return { call: id, status, observation: shown, clippedFrom, ...omitUndefined({ charges, cached }) };
}

export function formatNoticeEntry({ code: kind, text }: Notice, { masker, lengths }: MaskContext): Line {
  return formatNoticeLine({ notice: kind, text: masker.reason(text, lengths.text) });
}

export function formatMessageEntry(
  { message: { by, text } }: EntryOf<'message-received'>,
  { masker, lengths }: MaskContext,
): Line {
  return formatNoticeLine({
    notice: 'message',
    text: `${masker.line(by ?? 'The user', 100)}: ${masker.block(text, lengths.text)}`,
  });
}

export function formatRequestEntry(
  { tool, request: { kind, question, rules, expiresAt } }: EntryOf<'request-opened'>,
  { masker, lengths }: MaskContext,
  failure?: AttemptFailure,
): Line {
  const reason = masker.reason(rules.reason, lengths.text);
  const text = question === undefined ? null : masker.block(question.text, lengths.text);
  const waiting = { ...rules, request: kind, tool: masker.line(tool, 200), reason, expiresAt };
  return { ...formatWaitingLine(waiting, 0, text), notes: maskStack(failure, { masker, lengths }) };
}

/** @param request the decided request; null if unknown */
export function formatDecisionEntry(
  { tool, decision }: EntryOf<'request-decided'>,
  request: RequestKind | null,
  { masker, lengths }: MaskContext,
): Line {
  const { input, answer, by, reason } = decision;
  const changed = input === undefined ? {} : { changed: maskValue(masker, tool, input, lengths.input) };
  if (input !== undefined) masker.replaceArguments({ tool, input });
  if (answer !== undefined) masker.rememberResult(tool, answer);
  const masked = {
    ...decision,
    by: by === null ? null : masker.reason(by, lengths.text),
    reason: reason === null ? null : masker.reason(reason, lengths.text),
    ...(answer === undefined ? {} : { answer: maskValue(masker, tool, answer, lengths.input) }),
  };
  return formatDecisionLine({
    request: request ?? 'approval',
    tool: masker.line(tool, 200),
    decision: masked,
    ...changed,
  });
}

export function formatSubChainStart(
  { chain }: EntryOf<'sub-chain-started'>,
  { masker }: Pick<LineContext, 'masker'>,
): Line {
  const { chainId, agent, task } = chain;
  const begun = { state: 'running', outcome: null, steps: null, own: null, total: null } as const;
  return formatChildLine({ chainId, agent, ...begun }, masker.line(task, 1_000));
}

/**
 * Returns no line if the sub-chain's own history is read first: its line follows then.
 * @param agent the agent at its start
 */
export function formatSubChainEnd({ chainId, end }: EntryOf<'sub-chain-ended'>, agent: string): readonly Line[] {
  const { chain: _, ...ended } = toEndedProgress(end);
  return ended.total === null && ended.state !== 'not_started' ? [] : [formatChildLine({ chainId, agent, ...ended })];
}
