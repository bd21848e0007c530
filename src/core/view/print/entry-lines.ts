/** Formats the entries of a running chain as lines of the Web UI. L8: all texts pass the masker. */

import type { CallResult, ChainEntry } from '../../engine/index.js';
import { formatCacheAge, type Json, omitUndefined, parseJsonOrText } from '../../lib/index.js';
import { type Call, hasResult, type KnownTool, type Notice, type Step } from '../../model/index.js';
import { formatResultByView } from '../call-text.js';
import type { SnippetMasker } from '../snippet-masker.js';
import { listChargeRemarks } from './charge-lines.js';
import { formatNoticeLine, formatResultLine, formatThoughtLines } from './item-lines.js';
import type { Line } from './line.js';
import { formatDecisionLine } from './request-lines.js';

/** Maximum characters of a text, of a call's arguments, of a result, and of a result that its tool's template is filled from. */
export interface LengthLimits {
  readonly text: number;
  readonly input: number;
  readonly result: number;
  readonly template: number;
}

export interface LineContext {
  readonly masker: SnippetMasker;
  readonly lengths: LengthLimits;
  readonly tools: readonly KnownTool[];
}

/** A context without tools. */
type MaskContext = Pick<LineContext, 'masker' | 'lengths'>;

type EntryOf<T extends ChainEntry['type']> = Extract<ChainEntry, { type: T }>;

export function formatThoughtEntry(
  { thought, problem }: Pick<Step, 'thought' | 'problem'>,
  { masker, lengths }: MaskContext,
): readonly Line[] {
  const text = (raw: string | null) => (raw === null ? null : masker.block(raw, lengths.text));
  return formatThoughtLines({ thought: text(thought), problem: text(problem) });
}

function findView(tool: string, tools: readonly KnownTool[]): KnownTool['view'] {
  return tools.find(({ name }) => name === tool)?.view ?? {};
}

/** Returns a masked value; of one that is too long a text, its start. */
function maskValue(masker: SnippetMasker, tool: string, value: Json, length: number): Json {
  const text = masker.value(tool, value, length);
  return typeof value === 'string' ? text : parseJsonOrText(text);
}

export function formatObservation(
  tool: string,
  { status, observation, cached, charges }: CallResult,
  { masker, tools, lengths }: LineContext,
): readonly Line[] {
  // The decision's line contains the person and the reason.
  if (status === 'denied') return [];
  const remarks = [
    ...(status === 'reused' ? [`as in call ${observation}`] : []),
    ...(cached === undefined ? [] : [formatCacheAge(cached.ageMs)]),
    ...listChargeRemarks(charges),
  ];
  const view = findView(tool, tools);
  const hasLine = hasResult(status) && (view.response !== undefined || view.block !== undefined);
  const line = hasLine ? formatResultByView(view, maskValue(masker, tool, observation, lengths.template)) : null;
  const content = line ?? (status === 'reused' ? '' : masker.value(tool, observation, lengths.result));
  return [formatResultLine({ status, observation: content }, remarks)];
}

export function toCallResult(call: Call): CallResult {
  const { id, status, reusedFrom, observation, clippedFrom, charges, cached } = call;
  const result = status === 'reused' ? (reusedFrom ?? '') : observation;
  return { call: id, status, observation: result, clippedFrom, ...omitUndefined({ charges, cached }) };
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

export function formatDecisionEntry(
  { tool, decision }: EntryOf<'request-decided'>,
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
    // An entry does not name the kind of the request.
    request: 'approval',
    tool: masker.line(tool, 200),
    decision: masked,
    ...changed,
  });
}
