/**
 * The observation of a call: its result as the model sees it, clipped where it is too long. A clipped result keeps its
 * type, so that a strategy that renders JSON still gets JSON.
 */

import {
  clipJson,
  clipText,
  countTextBytes,
  countUtf8Bytes,
  frameIfNeeded,
  frameText,
  isObject,
  type Json,
  measureJson,
  toCanonicalJson,
  toValueText,
} from '../../lib/index.js';
import {
  bytesPerToken,
  type Call,
  type CallStatus,
  type Chain,
  countMostFileTokens,
  type Observation,
  type PersonMessage,
  type Step,
} from '../../model/index.js';
import { observationOverheadBytes } from './budget.js';

/** Deeper values are cut: code that writes, hashes or reads them recurses. */
const maxDepth = 100;
const tooDeepMark = '[… nested too deep, left out …]';

/**
 * Clips content to `maxTokens`; shorter content is returned unchanged.
 *
 * A text stays a text, even one that is JSON. Contract: never throws; linear in the content. Numbers, booleans and
 * null are never clipped.
 */
export function clipObservation(content: Json, maxTokens: number): Observation {
  const limit = Math.max(1, maxTokens) * bytesPerToken;
  if (typeof content === 'string') {
    const bytes = countTextBytes(content, 'plain');
    if (bytes <= limit) return { content, clippedFrom: null };
    return { content: clipText(content, limit, 'plain'), clippedFrom: bytes };
  }
  const { bytes, depth } = measureJson(content);
  const shallow = depth > maxDepth ? cutDeep(content, maxDepth) : content;
  const clipped = clipJson(shallow, limit);
  return { content: clipped, clippedFrom: clipped === content ? null : bytes };
}

function cutDeep(value: Json, levels: number): Json {
  const list = Array.isArray(value);
  if (!list && !isObject(value)) return value;
  if (levels === 0) return tooDeepMark;
  if (list) return value.map((item) => cutDeep(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutDeep(member, levels - 1)]));
}

/** The text of a call without one, by status. */
const defaultTexts = {
  pending: '(no result yet)',
  ok: '(no output)',
  reused: '(no output)',
  error: 'it failed without a message.',
  not_run: 'this call was not run.',
  cancelled: 'this call was stopped before it ended.',
  abandoned: 'this call was cancelled but did not end; it may still be running.',
  denied: 'A person denied this call; it was not run.',
  not_permitted: 'Not permitted; this call was not run.',
  answered: '(no answer)',
  unknown: 'the outcome of this call is unknown. Check whether it happened before you repeat it.',
} as const;

/** A note on the call, and its result: a text of Longhand (`isOurs`), or of a tool, an agent or a person. */
interface ObservationParts {
  readonly note: string;
  readonly text: string;
  readonly isOurs: boolean;
}

/** Renders the observation of a call. A result that starts like a note is framed, so that it cannot imitate one. */
export function renderObservation(chain: Chain, call: Call): string {
  const { note, text, isOurs } = toObservationParts(chain, call);
  return note + (!isOurs && isLikeNote(text) ? frameText(text) : text);
}

/** Renders an observation behind a label, in a text with others: the result cannot leave its frame (F1). */
export function renderLabelledObservation(label: string, chain: Chain, call: Call): string {
  const { note, text, isOurs } = toObservationParts(chain, call);
  if (isOurs) return `${label}: ${note}${text}`;
  return `${label}: ${note}${isLikeNote(text) ? frameText(text) : frameIfNeeded(text)}`;
}

function isLikeNote(text: string): boolean {
  return /^\s*\(/.test(text);
}

function toObservationParts(chain: Chain, call: Call): ObservationParts {
  switch (call.status) {
    case 'pending':
      return { note: '', text: defaultTexts.pending, isOurs: true };
    case 'ok':
      return prependNote(renderChangeNote(call), toSuccessParts(call));
    case 'answered':
      return prependNote(renderChangeNote(call) + renderAnswerNote(call), toSuccessParts(call));
    case 'reused':
      return toReusedParts(chain, call);
    default:
      return prependNote(renderChangeNote(call), toFailureParts(call));
  }
}

function prependNote(note: string, { note: own, ...rest }: ObservationParts): ObservationParts {
  return { note: note + own, ...rest };
}

/** Informs the model that the result belongs to other arguments than it requested. */
function renderChangeNote({ changedFrom, input }: Call): string {
  return changedFrom === undefined ? '' : `(A person changed the arguments to ${toValueText(input)}.)\n`;
}

/** Marks a person's answer, so that the model does not take it for a result of the tool. Questions need no mark. */
function renderAnswerNote({ requests }: Call): string {
  switch (requests?.at(-1)?.kind) {
    case 'approval':
      return '(Not run: a person answered instead.)\n';
    case 'outcome':
      return '(A person confirmed that it happened.)\n';
    default:
      return '';
  }
}

/** Statuses of calls that were rejected: the decision is not an error. */
const rejections: ReadonlySet<CallStatus> = new Set(['denied', 'not_permitted'] as const);

/** Adds `Error:` unless the result starts with it, or the call was rejected. */
function toFailureParts(call: Call): ObservationParts {
  const result = call.observation === null ? '' : toValueText(call.observation).trim();
  const isOurs = result === '';
  if (rejections.has(call.status)) return { note: '', text: isOurs ? defaultTexts[call.status] : result, isOurs };
  if (/^error\b/i.test(result)) return { note: '', text: result, isOurs };
  return { note: 'Error: ', text: isOurs ? defaultTexts[call.status] : result, isOurs };
}

function toSuccessParts(call: Call): ObservationParts {
  const text = call.observation === null ? '' : toValueText(call.observation);
  const isOurs = text.trim() === '';
  return { note: '', text: isOurs ? defaultTexts[call.status === 'answered' ? 'answered' : 'ok'] : text, isOurs };
}

function toReusedParts(chain: Chain, call: Call): ObservationParts {
  const number = Number.parseInt(call.reusedFrom ?? '', 10);
  const earlier = findCall(chain.steps, call.reusedFrom);
  const source = earlier === undefined || earlier.observation === null ? call : earlier;
  return prependNote(Number.isNaN(number) ? '' : `(same as in step ${number}) `, toSuccessParts(source));
}

/** Finds a call by its step's number; searches only where steps are missing. */
export function findCall(steps: Chain['steps'], id: string | null): Call | undefined {
  const number = Number.parseInt(id ?? '', 10);
  const direct = steps[number - 1];
  const step = direct?.number === number ? direct : steps.find((candidate) => candidate.number === number);
  return step?.calls.find((call) => call.id === id);
}

/** Returns an upper bound of the UTF-8 bytes that a chain's steps take in a request. */
export function countConversationBytes(chain: Chain): number {
  const steps = chain.steps.reduce((sum, step) => sum + countStepBytes(step, chain), 0);
  const guides = chain.guidance.reduce((sum, { text }) => sum + countUtf8Bytes(text) + observationOverheadBytes, steps);
  return chain.messages.reduce((sum, message) => sum + countMessageBytes(message), guides);
}

/** Counts text, sender, and a block around them. */
export function countMessageBytes({ text, by }: Pick<PersonMessage, 'text' | 'by'>): number {
  return countUtf8Bytes(text) + countUtf8Bytes(by ?? '') + 2 * observationOverheadBytes;
}

/** Counts one message for the reply, one for a paused turn, and one for each observation. */
function countStepBytes({ content, pausedContent, calls, problem }: Step, chain: Chain): number {
  const reply = countUtf8Bytes(toCanonicalJson([content, pausedContent, problem])) + 3 * observationOverheadBytes;
  return calls.reduce(
    (sum, call) =>
      sum + countUtf8Bytes(renderObservation(chain, call)) + observationOverheadBytes + countMostFileTokens(call.files),
    reply,
  );
}
