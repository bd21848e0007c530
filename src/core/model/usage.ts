/** Tokens and US dollars of model calls: what was used, what it cost, and what is reserved for one (L6). */

import type { Price } from './agent.js';
import type { Usage } from './model.js';

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

/** Everything that the model read, from a cache or not. */
export function inputTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

/** Input and output; thinking is part of the output. */
export function totalTokens(usage: Usage): number {
  return inputTokens(usage) + usage.output;
}

/** US dollars, to a tenth of a billionth: the rest is the noise of binary fractions. */
export function costOf(usage: Usage, price: Price): number {
  return chargeOf(
    usage.input * price.input +
      usage.cacheRead * price.cacheRead +
      usage.cacheWrite * price.cacheWrite +
      usage.output * price.output,
  );
}

/** Rounds what is charged for one call; anything above 0 stays above 0, however many calls there are. */
export function chargeOf(usd: number): number {
  return usd > 0 ? Math.max(roundUsd(usd), 1e-10) : 0;
}

export function roundUsd(usd: number): number {
  return Math.round(usd * 1e10) / 1e10;
}

/** The most that it can cost, held until it is settled. */
export interface Reservation {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number | null;
}
