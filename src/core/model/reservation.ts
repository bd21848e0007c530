/** What is held of a budget for a call of the model (L6). */

/** The most that it can cost, held until it is settled. */
export interface Reservation {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number | null;
}
