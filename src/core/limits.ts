/** L7: every loop has a limit, also when nobody configured one. */

export interface Limits {
  /** Replies that the model may give. */
  readonly steps: number;
  /** Input (cached too) and output tokens over all calls. */
  readonly tokens: number;
  /** US dollars over all calls; null only where the model has no price. */
  readonly costUsd: number | null;
  /** Wall time in milliseconds from the chain's start. */
  readonly timeMs: number;
  /** Steps in a row that bring nothing new. */
  readonly stallThreshold: number;
}
