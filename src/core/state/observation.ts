/**
 * What the model is shown of a call: its result, clipped where it is too long for the conversation, and as a text whatever
 * became of the call. A clipped result keeps its type, so that a strategy that renders JSON still finds JSON.
 */

import { countTextBytes, measureJson } from '../lib/byte-size.js';
import { clipJson, clipText } from '../lib/clip.js';
import { frameIfNeeded, frameText } from '../lib/frame-text.js';
import { countUtf8Bytes, isObject, type Json, toCanonicalJson, toValueText } from '../lib/json.js';
import type { Call, Chain, PersonMessage, Step } from '../model/chain.js';
import type { Observation } from '../model/fact.js';
import { observationOverheadBytes } from './budget.js';

/** Tokens are reckoned at so many bytes: near enough for English and code. */
const bytesPerToken = 4;

/** Deeper values are cut off: everything that writes, hashes or reads them goes down by recursion. */
const maxDepth = 100;
const tooDeepMark = '[… nested too deep, left out …]';

/**
 * The content itself if it has at most `maxTokens`, otherwise a part of it that has.
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

/** What is said where a call brought no text of its own. */
const defaultTexts = {
  pending: '(no result yet)',
  ok: '(no output)',
  reused: '(no output)',
  error: 'it failed without a message.',
  not_run: 'this call was not run.',
  cancelled: 'this call was stopped before it ended.',
  abandoned: 'this call was told to stop and has not answered; it may still be running.',
  denied: 'A person denied this call; it was not run.',
  answered: '(no answer)',
  unknown: 'it is not known whether this call took effect. Do not repeat it before that is checked.',
} as const;

/** What is said of a call before its result, and the result: in our own words, or in those of a tool, an agent or a person. */
interface ObservationParts {
  readonly note: string;
  readonly text: string;
  readonly isOurs: boolean;
}

/** What came of a call. A result that begins like one of our notes is framed, so that it is not taken for one. */
export function renderObservation(chain: Chain, call: Call): string {
  const { note, text, isOurs } = toObservationParts(chain, call);
  return note + (!isOurs && isLikeNote(text) ? frameText(text) : text);
}

/** The same behind a label, in a text that others share: the result cannot leave its place (F1). */
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

/** The model asked for something else than what was run, and should not take the result for that. */
function renderChangeNote({ changedFrom, input }: Call): string {
  return changedFrom === undefined ? '' : `(A person changed the arguments to ${toValueText(input)}.)\n`;
}

/** What a person says is not taken for what a tool has seen. Who is asked a question answers in person anyway. */
function renderAnswerNote({ requests }: Call): string {
  switch (requests?.at(-1)?.kind) {
    case 'approval':
      return '(Not run: a person answers instead.)\n';
    case 'outcome':
      return '(A person says that it happened.)\n';
    default:
      return '';
  }
}

/** A result that says it is an error already is not said to be one twice, and what a person denies is none. */
function toFailureParts(call: Call): ObservationParts {
  const told = call.observation === null ? '' : toValueText(call.observation).trim();
  const isOurs = told === '';
  if (call.status === 'denied') return { note: '', text: isOurs ? defaultTexts.denied : told, isOurs };
  if (/^error\b/i.test(told)) return { note: '', text: told, isOurs };
  return { note: 'Error: ', text: isOurs ? defaultTexts[call.status] : told, isOurs };
}

function toSuccessParts(call: Call): ObservationParts {
  const text = call.observation === null ? '' : toValueText(call.observation);
  const isOurs = text.trim() === '';
  return { note: '', text: isOurs ? defaultTexts[call.status === 'answered' ? 'answered' : 'ok'] : text, isOurs };
}

function toReusedParts(chain: Chain, call: Call): ObservationParts {
  const number = Number.parseInt(call.reusedFrom ?? '', 10);
  const earlier = findCall(chain, number, call.reusedFrom);
  const shown = earlier === undefined || earlier.observation === null ? call : earlier;
  return prependNote(Number.isNaN(number) ? '' : `(same as in step ${number}) `, toSuccessParts(shown));
}

/** Steps are numbered from 1 without gaps; only a chain that is cut short is searched. */
function findCall(chain: Chain, number: number, id: string | null): Call | undefined {
  const direct = chain.steps[number - 1];
  const step = direct?.number === number ? direct : chain.steps.find((each) => each.number === number);
  return step?.calls.find((each) => each.id === id);
}

/** How much was said and observed in a chain: an upper bound of what its steps take in a request, in UTF-8 bytes. */
export function countConversationBytes(chain: Chain): number {
  const steps = chain.steps.reduce((sum, step) => sum + countStepBytes(step, chain), 0);
  const guides = chain.guidance.reduce((sum, { text }) => sum + countUtf8Bytes(text) + observationOverheadBytes, steps);
  return chain.messages.reduce((sum, message) => sum + countMessageBytes(message), guides);
}

/** With who said it, and a block around it. */
export function countMessageBytes({ text, by }: Pick<PersonMessage, 'text' | 'by'>): number {
  return countUtf8Bytes(text) + countUtf8Bytes(by ?? '') + 2 * observationOverheadBytes;
}

/** A message of its own for what was said, for what was paused, and for each answer to it. */
function countStepBytes({ content, pausedContent, calls, problem }: Step, chain: Chain): number {
  const said = countUtf8Bytes(toCanonicalJson([content, pausedContent, problem])) + 3 * observationOverheadBytes;
  return calls.reduce(
    (sum, call) => sum + countUtf8Bytes(renderObservation(chain, call)) + observationOverheadBytes,
    said,
  );
}
