/** US dollars per token. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Returns the highest input rate: the provider decides what of the prompt it reads from its cache, or writes to it. */
export function getInputRate(price: Price): number {
  return Math.max(price.input, price.cacheRead, price.cacheWrite);
}
