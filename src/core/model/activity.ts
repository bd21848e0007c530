/** Activities in a chain's history: the ids of those that a delegating call starts, and the attempts at each. */

// Stored in histories: a changed prefix is a new version.
const readPrefix = 'read-';
const scorePrefix = 'score-';

/** Returns the id of the activity that reads a sub-chain's history, when its close carried no report. */
export function toReadActivityId(chainId: string): string {
  return `${readPrefix}${chainId}`;
}

/** Returns the id of the activity that scores the answers to a call. */
export function toScoreActivityId(call: string): string {
  return `${scorePrefix}${call}`;
}

/** Returns the chain id in a read activity's id, or null for any other activity. */
export function parseReadActivityId(id: string): string | null {
  return id.startsWith(readPrefix) ? id.slice(readPrefix.length) : null;
}

/** Returns the call in a score activity's id, or null for any other activity. */
export function parseScoreActivityId(id: string): string | null {
  return id.startsWith(scorePrefix) ? id.slice(scorePrefix.length) : null;
}

/** An attempt that failed, as its failure in the history describes it. */
export interface AttemptFailure {
  /** `TypeError`, `ToolError`; of a timeout `timeout`. */
  readonly type: string;
  readonly message: string;
  /** Frames and causes of the tool's error, a line each. Null without any, and in views of end users. */
  readonly stack: string | null;
}

/** The attempts at one activity, from its history. Not part of any fact, so no digest covers it. */
export interface ActivityAttempts {
  /** Attempts started so far; 0 while the activity waits for a worker. */
  readonly made: number;
  /** Start of the last attempt in milliseconds since 1970; null before the first. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The identity of the worker that made the last attempt. */
  readonly worker: string | null;
  /** The last attempt that failed, or null. */
  readonly lastFailure: AttemptFailure | null;
  readonly scheduledEventId: number;
  readonly endedEventId: number | null;
}
