/**
 * L6: the bound of the next request, for the model that will read it. Tokens at the model's last usage, and UTF-8 bytes added
 * since: no token is shorter than a byte. Models count the same text differently, so an agent with several models has a bound
 * for each that has answered. For any other only the bytes of the whole request are a bound.
 */

import { countUtf8Bytes, findOwn, type Json, toCanonicalJson, toValueText } from '../../lib/index.js';
import {
  type AgentSnapshot,
  boundStatusBytes,
  type ChainState,
  changeState,
  defaults,
  estimateTokens,
  formatStop,
  formatStopReason,
  type HeldStep,
  isAside,
  type ModelBounds,
  type ModelCallPurpose,
  type ModelSnapshot,
  type Price,
  type RequestBound,
} from '../../model/index.js';
import { getHighestPrice, hasPrices, listCandidates } from './route.js';

/** Bounds of a model call, whichever of its models answers. */
export interface CallBound {
  readonly inputTokens: number;
  /** The fewest and the most output tokens that the call may be given. */
  readonly minTokens: number;
  readonly maxTokens: number;
  /** The highest prices; null if no cost is counted. */
  readonly price: Price | null;
}

/** Bytes of the request for a summary, and of the stop reason in it where that is not known yet: a limit's. */
const closingBytes = 512;
const limitReasonBytes = 512;

/** Bytes around the text of an aside: its instructions, and what a provider adds. */
const asideOverheadBytes = 4_096;

/** Bytes of the label and the marks around a text. */
const textOverheadBytes = 128;

/** Bounds the next call of a purpose. For the last call, before and after the stop: what is kept for it suffices. */
export function boundCall(state: ChainState, agent: AgentSnapshot, purpose: ModelCallPurpose): CallBound {
  const models = listCandidates(state, agent, purpose);
  const maxTokens = Math.max(...models.map((model) => model.maxTokens));
  const minTokens = Math.min(defaults.minTokens, maxTokens);
  const price = hasPrices(agent) ? getHighestPrice(models) : null;
  if (purpose === 'compaction') return boundNotes(state, models, price);
  if (isAside(purpose)) {
    const inputTokens = defaults.asideBytes + asideOverheadBytes + (purpose === 'observer' ? 0 : boundVerdict(state));
    return { inputTokens, minTokens, maxTokens: minTokens, price };
  }
  return {
    inputTokens: boundRequest(state, models) + (purpose === 'closing' ? boundClosingBytes(state) : 0),
    minTokens,
    // A summary is short.
    maxTokens: purpose === 'closing' ? minTokens : maxTokens,
    price,
  };
}

/** Returns the UTF-8 bytes of the text that a model gets to write notes: they fit its window by an estimate of two bytes a token. */
export function getNotesRequestBytes({ contextTokens }: Pick<ModelSnapshot, 'contextTokens'>): number {
  return Math.min(defaults.notesRequestBytes, 2 * (contextTokens ?? defaults.notesRequestBytes));
}

/** Half of the output may be thinking. */
function boundNotes({ conversation }: ChainState, models: readonly ModelSnapshot[], price: Price | null): CallBound {
  const notesTokens = estimateTokens(conversation.summary?.notesDue ?? 0);
  const maxTokens = Math.min(...models.map((model) => model.maxTokens), 2 * Math.max(defaults.minTokens, notesTokens));
  const minTokens = Math.min(maxTokens, Math.max(defaults.minTokens, notesTokens));
  const inputTokens = Math.max(...models.map(getNotesRequestBytes)) + asideOverheadBytes;
  return { inputTokens, minTokens, maxTokens, price };
}

/** Renders an ending for a model that decides about it: the answer; of any other end also what it is. */
export function renderEnding({ outcome, reason, answer, partial }: NonNullable<HeldStep['ending']>): string {
  const text = toValueText(answer ?? partial ?? '');
  return outcome === 'success' ? text : `${formatStopReason(reason)}\n${text}`;
}

/** Renders a call for a model that decides about it. */
export function renderWholeCall(tool: string, input: Json): string {
  return `${tool} ${toCanonicalJson(input)}`;
}

/** The rules and the step are never cut: a part that is not shown could not be denied. */
function boundVerdict({ agent, held }: ChainState): number {
  const texts = [
    agent?.policy?.text ?? '',
    agent?.judge?.criteria ?? '',
    held?.ending === undefined ? '' : renderEnding(held.ending),
    ...(held?.calls ?? []).map(({ tool, input }) => renderWholeCall(tool, input)),
  ];
  return defaults.asideBytes + texts.reduce((sum, text) => sum + countUtf8Bytes(text) + textOverheadBytes, 0);
}

function boundClosingBytes({ stop }: ChainState): number {
  return closingBytes + (stop === null ? limitReasonBytes : countUtf8Bytes(formatStop(stop)));
}

/** Returns the most tokens of the next request for any of these models. */
export function boundRequest(state: ChainState, models: readonly Pick<ModelSnapshot, 'name'>[]): number {
  const { agent, context, contexts } = state;
  const status = agent === null ? 0 : boundStatusBytes(agent);
  if (contexts === undefined) return sum(context) + status;
  return Math.max(...models.map(({ name }) => boundFor(contexts, name))) + status;
}

function boundFor({ bytes, models }: ModelBounds, name: string): number {
  const bound = findOwn(models, name);
  return bound === undefined ? bytes : sum(bound);
}

function sum({ tokens, newBytes }: RequestBound): number {
  return tokens + newBytes;
}

/** Counts content that the next request adds, whichever model reads it. */
export function addToBounds(state: ChainState, bytes: number): ChainState {
  const { context, contexts } = state;
  return changeState(state, {
    context: grow(context, bytes),
    ...(contexts === undefined ? {} : { contexts: growAll(contexts, bytes) }),
  });
}

function grow({ tokens, newBytes }: RequestBound, bytes: number): RequestBound {
  return { tokens, newBytes: newBytes + bytes };
}

function growAll({ bytes, models }: ModelBounds, more: number): ModelBounds {
  const grown = Object.entries(models).map(([name, bound]) => [name, grow(bound, more)]);
  return { bytes: bytes + more, models: Object.fromEntries(grown) };
}

/**
 * Replaces the bounds after a reply: exact for the model that answered, one more content for the others.
 *
 * @param model undefined if unknown
 * @param tokens the most that the model has read and written
 * @param contentBytes UTF-8 bytes of the reply
 */
export function measureBounds(
  state: ChainState,
  model: string | undefined,
  tokens: number,
  contentBytes: number,
): ChainState {
  const context: RequestBound = { tokens, newBytes: 0 };
  if (state.contexts === undefined) return changeState(state, { context });
  const grown = growAll(state.contexts, contentBytes);
  if (model === undefined) return changeState(state, { context, contexts: grown });
  return changeState(state, { context, contexts: { ...grown, models: { ...grown.models, [model]: context } } });
}

/** Starts with the bound of a request that no model has read. */
export function resetBounds(state: ChainState, { routing }: AgentSnapshot, context: RequestBound): ChainState {
  const { contexts: _, ...rest } = state;
  if (routing === undefined) return { ...rest, context };
  return { ...rest, context, contexts: { bytes: sum(context), models: {} } };
}
