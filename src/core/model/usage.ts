/** Tokens and US dollars of model calls: plausible usage, its cost, and reservations (L6). */

import { check, countCharacters, formatCount, shorten } from '../lib/index.js';
import { type ModelMessage, type ModelRequest, type ReplyBlock, removeThinking, type Usage } from './model.js';
import { findHighestRates, findRates, getOutputRate, type Price } from './price.js';

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, thinking: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    thinking: a.thinking + b.thinking,
  };
}

/** Returns all tokens that the model read, cached or not. */
export function countInputTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

/** Returns input and output tokens; thinking is part of the output. */
export function countTotalTokens(usage: Usage): number {
  return countInputTokens(usage) + usage.output;
}

/**
 * Returns US dollars of one request, rounded to 1e-10: the rest is noise of binary fractions. Usage without thinking may be that
 * of a provider that does not count it: where thinking has a rate of its own, the higher one applies to all output then.
 */
export function computeCost(usage: Usage, price: Price): number {
  const rates = findRates(price, countInputTokens(usage));
  const { thinking: rate = rates.output } = rates;
  const thinking = Math.min(usage.thinking, usage.output);
  return roundCharge(
    usage.input * rates.input +
      usage.cacheRead * rates.cacheRead +
      usage.cacheWrite * rates.cacheWrite +
      (thinking === 0
        ? usage.output * getOutputRate(rates)
        : (usage.output - thinking) * rates.output + thinking * rate),
  );
}

/** Returns the most US dollars that a request with at most these tokens may cost; null without a price. */
export function computeMaxCost(price: Price | null, inputTokens: number, outputTokens: number): number | null {
  if (price === null) return null;
  const { input, output } = findHighestRates(price, inputTokens);
  return roundCharge(inputTokens * input + outputTokens * output);
}

/** Rounds the charge of one call; an amount above 0 stays above 0. */
export function roundCharge(usd: number): number {
  return usd > 0 ? Math.max(roundUsd(usd), 1e-10) : 0;
}

export function roundUsd(usd: number): number {
  return Math.round(usd * 1e10) / 1e10;
}

/** Adds an amount to a sum in US dollars: either is null without a price. */
export function addUsd(sum: number | null, usd: number | null): number | null {
  return usd === null ? sum : roundUsd((sum ?? 0) + usd);
}

/** Returns the member that a sum of costs has while it is not complete. */
export function toUnpricedTokens({ unpricedTokens = 0 }: { readonly unpricedTokens?: number | undefined }) {
  return unpricedTokens === 0 ? {} : { unpricedTokens };
}

/** Bytes per token: an estimate for English and code. */
export const bytesPerToken = 4;

/** The most that a model call can cost, held until it is settled. */
export interface Reservation {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number | null;
}

type UsageCheck =
  | { readonly plausible: true; readonly usage: Usage }
  /** A clause for people: `it reported 0 input tokens, and at least 1 was used`. */
  | { readonly plausible: false; readonly problem: string };

/** The fewest tokens that a call can have used. */
interface MinUsage {
  readonly input: number;
  readonly output: number;
}

/** Returns the minimum for any call: a request is never empty, and content takes at least one token. */
export function computeMinUsage(content: readonly ReplyBlock[]): MinUsage {
  return { input: 1, output: content.length === 0 ? 0 : 1 };
}

/**
 * Estimates the fewest tokens of a request and reply: far fewer than any tokenizer makes of the same text. Thinking is left
 * out: thinking of earlier turns is not read again, and a provider shows less than it counts.
 */
export function estimateMinUsage({ system, messages, tools }: ModelRequest, content: readonly ReplyBlock[]): MinUsage {
  const least = computeMinUsage(content);
  const read = messages.reduce((sum, message) => sum + countMessage(message), countCharacters([system, tools]));
  return {
    input: Math.max(least.input, Math.floor(read / maxTokenCharacters)),
    output: Math.max(least.output, Math.floor(countCharacters(removeThinking(content)) / maxTokenCharacters)),
  };
}

/** Most messages are those of the request before. */
const countedMessages = new WeakMap<ModelMessage, number>();

function countMessage(message: ModelMessage): number {
  const known = countedMessages.get(message);
  if (known !== undefined) return known;
  const characters = countCharacters(message.role === 'user' ? message.content : removeThinking(message.content));
  countedMessages.set(message, characters);
  return characters;
}

/** A token of ordinary text has 3 or 4, and tokenizers join up to 128 equal characters into one. */
const maxTokenCharacters = 128;

/** The factor by which a call may exceed its reservation, and the tokens that a gateway may add to a request. */
export const usageMargin = 10;
export const maxContextTokens = 1_000_000;

/**
 * Returns whether reported usage is plausible. A provider or gateway may report nothing, zeros or nonsense; the budget is
 * then charged the whole reservation (state/budget.ts), because tokens were used anyway. Checked twice: by the
 * activity, which knows request and reply, and by `advance`, which trusts no fact.
 *
 * @param reported any value: facts and providers are not trusted
 */
export function checkUsage(reported: unknown, reserved: Reservation, least: MinUsage): UsageCheck {
  if (!isUsage(reported)) return { plausible: false, problem: 'it reported no usage that can be read' };
  const read = countInputTokens(reported);
  const problem =
    describeBelow('input', read, least.input) ??
    describeBelow('output', reported.output, least.output) ??
    describeAbove('input', read, usageMargin * reserved.inputTokens + maxContextTokens) ??
    describeAbove('output', reported.output, usageMargin * reserved.outputTokens);
  return problem === null ? { plausible: true, usage: reported } : { plausible: false, problem };
}

/** Five counts, each a whole number from 0. */
export const checkCounts = check.shape<Usage>({
  ...{
    input: check.count,
    output: check.count,
    cacheRead: check.count,
    cacheWrite: check.count,
    thinking: check.count,
  },
});
export const isUsage = checkCounts.is;

/** Whole numbers of tokens, and null or an amount of US dollars from 0. */
export const checkReservation = check.shape<Reservation>({
  inputTokens: check.count,
  outputTokens: check.count,
  usd: check.nullable(check.amount),
});

/** What a failed call is charged. */
export const checkSettle = check.oneOf(['nothing', 'usage', 'reservation']);

function describeBelow(which: string, tokens: number, least: number): string | null {
  if (tokens >= least) return null;
  return `it reported ${formatCount(tokens)} ${which} tokens, and at least ${formatCount(least)} must have been used`;
}

function describeAbove(which: string, tokens: number, max: number): string | null {
  if (tokens <= max) return null;
  return `it reported ${shorten(formatCount(tokens), 40)} ${which} tokens, and at most ${formatCount(max)} can have been used`;
}
