/**
 * Prices of models. L6: a reservation takes the highest rates that a request within its bound may have, a charge those of the
 * usage.
 */

/** US dollars per token. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** For thinking, where it costs more or less than other output. Absent: as `output`. */
  readonly thinking?: number;
}

/** The rates of all tokens of a request that has more input tokens than `above`, cached ones included. */
export interface PriceTier extends Rates {
  readonly above: number;
}

export interface Price extends Rates {
  /** For long requests, the lowest `above` first. Absent where requests of all lengths cost the same per token. */
  readonly tiers?: readonly PriceTier[];
}

/** Returns the rates of a request with this many input tokens. */
export function findRates(price: Price, inputTokens: number): Rates {
  return price.tiers?.findLast(({ above }) => inputTokens > above) ?? price;
}

/** The most that a token of a request may cost. */
interface HighestRates {
  readonly input: number;
  readonly output: number;
}

/**
 * Returns the highest rates of a request with at most this many input tokens: the provider decides what of the prompt it reads
 * from its cache or writes to it, and the model how much it thinks.
 */
export function findHighestRates(price: Price, inputTokens: number): HighestRates {
  const base = { input: getHighestInputRate(price), output: getOutputRate(price) };
  return (price.tiers ?? []).reduce(
    (highest, tier) =>
      inputTokens > tier.above
        ? {
            input: Math.max(highest.input, getHighestInputRate(tier)),
            output: Math.max(highest.output, getOutputRate(tier)),
          }
        : highest,
    base,
  );
}

function getHighestInputRate({ input, cacheRead, cacheWrite }: Rates): number {
  return Math.max(input, cacheRead, cacheWrite);
}

/** Returns the highest rate of output, for output whose thinking tokens are unknown. */
export function getOutputRate({ output, thinking = output }: Rates): number {
  return Math.max(output, thinking);
}

/** Returns a price that is nowhere below any of these, which are at least one. */
export function combinePrices(prices: readonly Price[]): Price {
  const lengths = new Set(prices.flatMap(({ tiers = [] }) => tiers.map(({ above }) => above)));
  const tiers = [...lengths]
    .toSorted((a, b) => a - b)
    .map((above) => ({ above, ...combineRates(prices.map((price) => findRates(price, above + 1))) }));
  return { ...combineRates(prices), ...(tiers.length === 0 ? {} : { tiers }) };
}

function combineRates(all: readonly Rates[]): Rates {
  const max = (rate: (rates: Rates) => number) => Math.max(...all.map(rate));
  const output = max(({ output }) => output);
  const thinking = max(({ output, thinking = output }) => thinking);
  return {
    input: max(({ input }) => input),
    output,
    cacheRead: max(({ cacheRead }) => cacheRead),
    cacheWrite: max(({ cacheWrite }) => cacheWrite),
    ...(thinking === output ? {} : { thinking }),
  };
}
