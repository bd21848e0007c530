/** What Temporal's SDK and tools log, in the words of this project: chains, steps and calls. */

import type { LogMetadata } from '@temporalio/common';
import { activityNames, logMessages } from '../contract/names.js';

export interface LogEntry {
  readonly message: string;
  /** Where it belongs: `chainId`, `step`, `call` … as the SDK tells it. */
  readonly place: Readonly<Record<string, unknown>>;
  /** Whatever else was said; a tool may say what it likes. */
  readonly said: Readonly<Record<string, unknown>>;
  readonly error: LoggedError | null;
}

export interface LoggedError {
  readonly type: string;
  readonly message: string;
  /** Null where it says nothing: a failed call is described by its failure. */
  readonly stack: string | null;
}

/** What the chain itself shows; in a log it is one line. */
export const outcomes: ReadonlySet<string> = new Set([
  'Activity failed',
  'Workflow failed',
  logMessages.modelCallFailed,
]);

/** The SDK's names, and ours. Null leaves it out: long, and of use to nobody who reads. */
const places: Readonly<Record<string, string | null>> = {
  workflowId: 'chainId',
  workflowRunId: 'runId',
  runId: 'runId',
  activityId: 'call',
  activityType: 'activity',
  attempt: 'attempt',
  durationMs: 'durationMs',
  namespace: 'namespace',
  taskQueue: 'taskQueue',
  sdkComponent: 'component',
  taskToken: null,
  isLocal: null,
  workflowType: null,
};

/** Names that a line has already; a tool that says them is told apart. */
const taken: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'step', ...Object.values(places)].filter(isName));

export function entryOf(message: string, meta: LogMetadata = {}): LogEntry {
  const { error, err, ...rest } = meta;
  const place: Record<string, unknown> = {};
  const said: Record<string, unknown> = {};
  const step = stepOf(rest);
  if (step !== null) place.step = step;
  for (const [name, value] of Object.entries(rest)) {
    if (name === 'step' && value === step) continue;
    const ours = Object.hasOwn(places, name) ? places[name] : undefined;
    if (ours === undefined) said[taken.has(name) ? `${name}_` : name] = value;
    else if (ours !== null) place[ours] = value;
  }
  return { message, place, said, error: errorOf(error ?? err, !outcomes.has(message)) };
}

/** A tool's call is named after its step (`3.1`), whatever the tool says. A call of the model says it. */
function stepOf({ activityId, activityType, step }: LogMetadata): number | null {
  const [, named] = /^(\d+)\.\d+$/.exec(String(activityId)) ?? [];
  if (named !== undefined) return Number(named);
  return activityType === activityNames.callModel && typeof step === 'number' ? step : null;
}

function errorOf(error: unknown, withStack: boolean): LoggedError | null {
  if (error == null) return null;
  if (typeof error !== 'object') return { type: 'Error', message: String(error), stack: null };
  const { type, name, message, stack } = error as Record<string, unknown>;
  return {
    type: String(type ?? name ?? 'Error'),
    message: String(message ?? error),
    stack: withStack && typeof stack === 'string' && stack !== '' ? stack : null,
  };
}

function isName(name: string | null): name is string {
  return name !== null;
}
