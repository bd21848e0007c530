/**
 * Log lines of Temporal's SDK and of tools, in the words of this project (chains, steps and calls), and without secrets.
 *
 * L8: a tool's error may quote the key that it failed with. Secrets that the process has handed out are known, whatever
 * they look like; others are recognised by their form.
 */

import type { LogMetadata } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { activityNames, logMessages } from '../contract/names.js';
import type { Json } from '../core/lib/json.js';
import { createRedactor, type Redactor } from '../core/redact/redactor.js';
import { registeredSecretsMasker } from '../secrets/secret-registry.js';

export interface LogEntry {
  readonly message: string;
  /** Where it belongs: `chainId`, `step`, `call` … as the SDK tells it. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Whatever else was said; a tool may say what it likes. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly error: LoggedError | null;
}

interface LoggedError {
  readonly type: string;
  readonly message: string;
  /** Null where it says nothing: a failed call is described by its failure. */
  readonly stack: string | null;
}

/** What the chain itself shows; in a log it is one line. */
export const failureMessages: ReadonlySet<string> = new Set([
  'Activity failed',
  'Workflow failed',
  logMessages.modelCallFailed,
]);

/** The SDK's names, and ours. Null leaves it out: long, and of use to nobody who reads. */
const contextNames: Readonly<Record<string, string | null>> = {
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
const reservedNames: ReadonlySet<string> = new Set(
  ['level', 'time', 'msg', 'step', ...Object.values(contextNames)].filter(isName),
);

export function toLogEntry(message: string, meta: LogMetadata = {}): LogEntry {
  const { error, err, ...rest } = meta;
  const place: Record<string, unknown> = {};
  const said: Record<string, unknown> = {};
  const step = findStep(rest);
  if (step !== null) place.step = step;
  for (const [name, value] of Object.entries(rest)) {
    if (name === 'step' && value === step) continue;
    const ours = Object.hasOwn(contextNames, name) ? contextNames[name] : undefined;
    if (ours === undefined) said[reservedNames.has(name) ? `${name}_` : name] = value;
    else if (ours !== null) place[ours] = value;
  }
  return { message, context: place, fields: said, error: toLoggedError(error ?? err, !failureMessages.has(message)) };
}

/** A tool's call is named after its step (`3.1`), whatever the tool says. A call of the model says it. */
function findStep({ activityId, activityType, step }: LogMetadata): number | null {
  const [, named] = /^(\d+)\.\d+$/.exec(String(activityId)) ?? [];
  if (named !== undefined) return Number(named);
  return activityType === activityNames.callModel && typeof step === 'number' ? step : null;
}

function toLoggedError(error: unknown, withStack: boolean): LoggedError | null {
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

/** Chains whose marks are remembered, so that equal values have equal marks in lines that lie apart. */
const maxRedactors = 100;

/** @returns the entry with marks for what may not be read; never throws */
export function createLogMasker(): (entry: LogEntry) => LogEntry {
  const redactors = new LRUCache<NonNullable<unknown>, Redactor>({
    max: maxRedactors,
    memoMethod: () => createRedactor(),
  });
  // What belongs to no chain has nothing to be recognised by, and would be counted for ever.
  const redactorOf = (chainId: unknown): Redactor => (chainId == null ? createRedactor() : redactors.memo(chainId));
  return ({ message, context, fields: said, error }) => {
    const redactor = redactorOf(context.chainId);
    const text = (said: string) => redactor.text(registeredSecretsMasker.text(said));
    const value = (said: Json) => redactor.value(registeredSecretsMasker.value(said));
    return {
      message: text(message),
      context,
      fields: Object.fromEntries(Object.entries(said).map(([name, each]) => [name, maskField(name, each, value)])),
      error: error && {
        ...error,
        message: text(error.message),
        stack: error.stack === null ? null : text(error.stack),
      },
    };
  };
}

/** By its name too: `{ password: … }` is a secret whatever it looks like. */
function maskField(name: string, value: unknown, mask: Redactor['value']): unknown {
  try {
    const json = JSON.stringify({ [name]: value });
    const [masked] = Object.values(mask(JSON.parse(json)) as object);
    return masked;
  } catch {
    return mask(String(value));
  }
}
