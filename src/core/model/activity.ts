/** Activities as a chain's history shows them: the ids of those that a delegating call makes, and the attempts at each. */

// Stored in histories: a change here is a new version.
const reads = 'read-';
const scores = 'score-';

/** Reads the history of a sub-chain whose close was silent. */
export function readActivityId(chainId: string): string {
  return `${reads}${chainId}`;
}

/** Scores the answers to a call. */
export function scoreActivityId(call: string): string {
  return `${scores}${call}`;
}

/** Null for any other activity. */
export function chainThatIsRead(id: string): string | null {
  return id.startsWith(reads) ? id.slice(reads.length) : null;
}

/** Null for any other activity. */
export function callThatIsScored(id: string): string | null {
  return id.startsWith(scores) ? id.slice(scores.length) : null;
}

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
