/** The attempts at one activity. */

/** What an activity went through, as its history tells. Lies beside the facts: no digest knows of it. */
export interface Attempts {
  /** How often it was begun; 0 while it waits for a worker. */
  readonly made: number;
  /** Milliseconds since 1970 at which the last attempt began; null before. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The identity of the worker that made the last attempt. */
  readonly worker: string | null;
  /** Of the last attempt that failed, or null. */
  readonly lastFailure: string | null;
  readonly scheduledEventId: number;
  readonly endedEventId: number | null;
}
