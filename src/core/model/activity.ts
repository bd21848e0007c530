/** Activities as a chain's history shows them: the ids of those that a delegating call makes, and the attempts at each. */

// Stored in histories: a change here is a new version.
const readPrefix = 'read-';
const scorePrefix = 'score-';

/** Reads the history of a sub-chain whose close was silent. */
export function toReadActivityId(chainId: string): string {
  return `${readPrefix}${chainId}`;
}

/** Scores the answers to a call. */
export function toScoreActivityId(call: string): string {
  return `${scorePrefix}${call}`;
}

/** Null for any other activity. */
export function parseReadActivityId(id: string): string | null {
  return id.startsWith(readPrefix) ? id.slice(readPrefix.length) : null;
}

/** Null for any other activity. */
export function parseScoreActivityId(id: string): string | null {
  return id.startsWith(scorePrefix) ? id.slice(scorePrefix.length) : null;
}

/** What an activity went through, as its history tells. Lies beside the facts: no digest knows of it. */
export interface ActivityAttempts {
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
