/** Activities and workflows in a chain's history: their ids, and the attempts at each. A tool's activity has the id of its call. */

// Stored in histories: a changed id or prefix is a new version.

/** Id of the activity that prepares the agent. */
export const prepareActivityId = 'prepare';

const readPrefix = 'read-';
const scorePrefix = 'score-';
const checkPrefix = 'check-';
const runPrefix = 'call-';

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

/** Returns the id of the activity that checks a call before its foreign activity or workflow is started. */
export function toCheckActivityId(call: string): string {
  return `${checkPrefix}${call}`;
}

/** Returns the id of the foreign activity of a call, whose result is not Longhand's. */
export function toForeignActivityId(call: string): string {
  return `${runPrefix}${call}`;
}

/**
 * Returns the id of the workflow of a call. It is the same after a reset of the chain, so the server does not start it twice.
 * @param retries how often a person has had it run again
 */
export function toCallWorkflowId(chainId: string, call: string, retries: number): string {
  return `${chainId}/${runPrefix}${call}${retries === 0 ? '' : `~${retries + 1}`}`;
}

/** Returns the call in a check's id, or null for any other activity. */
export function parseCheckActivityId(id: string): string | null {
  return id.startsWith(checkPrefix) ? id.slice(checkPrefix.length) : null;
}

/** Returns the call in a foreign activity's id, or null for any other activity. */
export function parseForeignActivityId(id: string): string | null {
  return id.startsWith(runPrefix) ? id.slice(runPrefix.length) : null;
}

/** Returns whether an activity's id is that of a model call: of a step, the last one, or an aside. */
export function isModelCallId(id: string): boolean {
  return id.startsWith('model-') || id.startsWith('aside-');
}

/** Returns the call in the id of its workflow, or null for any other child workflow: sub-chains end with a call's digits. */
export function parseCallWorkflowId(id: string): string | null {
  return /\/call-(\d+\.\d+)(?:~\d+)?$/.exec(id)?.[1] ?? null;
}

/** Returns the call that a foreign activity or a workflow runs; any other id unchanged. */
export function toCallId(id: string): string {
  return parseForeignActivityId(id) ?? parseCallWorkflowId(id) ?? id;
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
