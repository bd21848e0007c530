/**
 * What the model is shown of a call: its result, clipped where it is too long for the conversation, and as a text whatever
 * became of the call. A clipped result keeps its type, so that a strategy that renders JSON still finds JSON.
 */

import { jsonSize, textBytes } from '../lib/byte-size.js';
import { clipJson, clipText } from '../lib/clip.js';
import { framed, inFrame } from '../lib/framed.js';
import { asText, canonical, isObject, type Json, utf8Bytes } from '../lib/json.js';
import type { Call, Chain, PersonMessage, Step } from '../model/chain.js';
import type { Observation } from '../model/fact.js';
import { perObservation } from './budget.js';

/** Tokens are reckoned at so many bytes: near enough for English and code. */
const bytesPerToken = 4;

/** Deeper values are cut off: everything that writes, hashes or reads them goes down by recursion. */
const deepest = 100;
const tooDeep = '[… nested too deep, left out …]';

/**
 * The content itself if it has at most `maxTokens`, otherwise a part of it that has.
 *
 * A text stays a text, even one that is JSON. Contract: never throws; linear in the content. Numbers, booleans and
 * null are never clipped.
 */
export function clip(content: Json, maxTokens: number): Observation {
  const limit = Math.max(1, maxTokens) * bytesPerToken;
  if (typeof content === 'string') {
    const bytes = textBytes(content, 'plain');
    if (bytes <= limit) return { content, clippedFrom: null };
    return { content: clipText(content, limit, 'plain'), clippedFrom: bytes };
  }
  const { bytes, depth } = jsonSize(content);
  const shallow = depth > deepest ? cutDeep(content, deepest) : content;
  const clipped = clipJson(shallow, limit);
  return { content: clipped, clippedFrom: clipped === content ? null : bytes };
}

function cutDeep(value: Json, levels: number): Json {
  const list = Array.isArray(value);
  if (!list && !isObject(value)) return value;
  if (levels === 0) return tooDeep;
  if (list) return value.map((item) => cutDeep(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutDeep(member, levels - 1)]));
}

/** What is said where a call brought no text of its own. */
const silent = {
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
interface Observed {
  readonly note: string;
  readonly text: string;
  readonly isOurs: boolean;
}

/** What came of a call. A result that begins like one of our notes is framed, so that it is not taken for one. */
export function observationText(chain: Chain, call: Call): string {
  const { note, text, isOurs } = observed(chain, call);
  return note + (!isOurs && isLikeNote(text) ? framed(text) : text);
}

/** The same behind a label, in a text that others share: the result cannot leave its place (F1). */
export function labelledObservation(label: string, chain: Chain, call: Call): string {
  const { note, text, isOurs } = observed(chain, call);
  if (isOurs) return `${label}: ${note}${text}`;
  return `${label}: ${note}${isLikeNote(text) ? framed(text) : inFrame(text)}`;
}

function isLikeNote(text: string): boolean {
  return /^\s*\(/.test(text);
}

function observed(chain: Chain, call: Call): Observed {
  switch (call.status) {
    case 'pending':
      return { note: '', text: silent.pending, isOurs: true };
    case 'ok':
      return after(changed(call), good(call));
    case 'answered':
      return after(changed(call) + answered(call), good(call));
    case 'reused':
      return reused(chain, call);
    default:
      return after(changed(call), failed(call));
  }
}

function after(note: string, { note: own, ...rest }: Observed): Observed {
  return { note: note + own, ...rest };
}

/** The model asked for something else than what was run, and should not take the result for that. */
function changed({ changedFrom, input }: Call): string {
  return changedFrom === undefined ? '' : `(A person changed the arguments to ${asText(input)}.)\n`;
}

/** What a person says is not taken for what a tool has seen. Who is asked a question answers in person anyway. */
function answered({ requests }: Call): string {
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
function failed(call: Call): Observed {
  const told = call.observation === null ? '' : asText(call.observation).trim();
  const isOurs = told === '';
  if (call.status === 'denied') return { note: '', text: isOurs ? silent.denied : told, isOurs };
  if (/^error\b/i.test(told)) return { note: '', text: told, isOurs };
  return { note: 'Error: ', text: isOurs ? silent[call.status] : told, isOurs };
}

function good(call: Call): Observed {
  const text = call.observation === null ? '' : asText(call.observation);
  const isOurs = text.trim() === '';
  return { note: '', text: isOurs ? silent[call.status === 'answered' ? 'answered' : 'ok'] : text, isOurs };
}

function reused(chain: Chain, call: Call): Observed {
  const number = Number.parseInt(call.reusedFrom ?? '', 10);
  const earlier = callAt(chain, number, call.reusedFrom);
  const shown = earlier === undefined || earlier.observation === null ? call : earlier;
  return after(Number.isNaN(number) ? '' : `(same as in step ${number}) `, good(shown));
}

/** Steps are numbered from 1 without gaps; only a chain that is cut short is searched. */
function callAt(chain: Chain, number: number, id: string | null): Call | undefined {
  const direct = chain.steps[number - 1];
  const step = direct?.number === number ? direct : chain.steps.find((each) => each.number === number);
  return step?.calls.find((each) => each.id === id);
}

/** How much was said and observed in a chain: an upper bound of what its steps take in a request, in UTF-8 bytes. */
export function spokenBytes(chain: Chain): number {
  const steps = chain.steps.reduce((sum, step) => sum + bytesOf(step, chain), 0);
  const guides = chain.guides.reduce((sum, { text }) => sum + utf8Bytes(text) + perObservation, steps);
  return chain.messages.reduce((sum, message) => sum + messageBytes(message), guides);
}

/** With who said it, and a block around it. */
export function messageBytes({ text, by }: Pick<PersonMessage, 'text' | 'by'>): number {
  return utf8Bytes(text) + utf8Bytes(by ?? '') + 2 * perObservation;
}

/** A message of its own for what was said, for what was paused, and for each answer to it. */
function bytesOf({ content, pausedContent, calls, problem }: Step, chain: Chain): number {
  const said = utf8Bytes(canonical([content, pausedContent, problem])) + 3 * perObservation;
  return calls.reduce((sum, call) => sum + utf8Bytes(observationText(chain, call)) + perObservation, said);
}
