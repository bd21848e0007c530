/**
 * Converts log lines of Temporal's SDK and of tools to Longhand's terms (chain, step, call), and masks secrets.
 *
 * L8: a tool's error may quote a key. Secrets that the process handed out are masked by value, others by their pattern.
 */

import type { LogMetadata } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { activityNames, logMessages } from '../contract/index.js';
import type { Json } from '../core/lib/index.js';
import { createRedactor, type Redactor } from '../core/redact/index.js';
import { registeredSecretsMasker } from '../secrets/index.js';

export interface LogEntry {
  readonly message: string;
  /** Origin of the line from the SDK: `chainId`, `step`, `call` and so on. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Further fields, of any content. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly error: LoggedError | null;
}

interface LoggedError {
  readonly type: string;
  readonly message: string;
  /** Of a failed tool: the frames and causes that its failure has. Null for the end of a chain and a failed model call. */
  readonly stack: string | null;
}

/** Failures whose stacks name only Longhand's own code. */
const stacklessMessages: ReadonlySet<string> = new Set(['Workflow failed', logMessages.modelCallFailed]);

/** Failures that the chain itself shows. */
export const failureMessages: ReadonlySet<string> = new Set(['Activity failed', ...stacklessMessages]);

/** The SDK's names and ours. Null omits a value that is long and useless to readers. */
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

/** Names that each line has, or may have. */
const reservedNames: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'step']);

export function toLogEntry(message: string, meta: LogMetadata = {}): LogEntry {
  const { error, err, ...rest } = meta;
  const context: Record<string, unknown> = {};
  const others: [string, unknown][] = [];
  const step = findStep(rest);
  if (step !== null) context.step = step;
  for (const [name, value] of Object.entries(rest)) {
    if (name === 'step' && value === step) continue;
    const ours = Object.hasOwn(contextNames, name) ? contextNames[name] : undefined;
    if (ours === undefined) others.push([name, value]);
    else if (ours !== null) context[ours] = value;
  }
  // A tool's field must not replace one of the SDK: it gets a suffix.
  const isTaken = (name: string) => reservedNames.has(name) || Object.hasOwn(context, name);
  const fields = Object.fromEntries(others.map(([name, value]) => [isTaken(name) ? `${name}_` : name, value]));
  return { message, context, fields, error: toLoggedError(error ?? err, !stacklessMessages.has(message)) };
}

/** Returns the step. A tool call's id starts with it (`3.1`), so a tool's own field `step` is ignored; a model call logs it. */
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

/** Most chains whose marks are remembered, so that equal values have equal marks in distant lines. */
const maxRedactors = 100;

/** Creates a masker for entries; it never throws. */
export function createLogMasker(): (entry: LogEntry) => LogEntry {
  const redactors = new LRUCache<NonNullable<unknown>, Redactor>({
    max: maxRedactors,
    memoMethod: () => createRedactor(),
  });
  // Without a chain there is no key to remember the marks by.
  const redactorOf = (chainId: unknown): Redactor => (chainId == null ? createRedactor() : redactors.memo(chainId));
  return ({ message, context, fields, error }) => {
    const redactor = redactorOf(context.chainId);
    const text = (unmasked: string) => redactor.text(registeredSecretsMasker.text(unmasked));
    const value = (unmasked: Json) => redactor.value(registeredSecretsMasker.value(unmasked));
    return {
      message: text(message),
      context,
      fields: Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, maskField(name, each, value)])),
      error: error && {
        ...error,
        message: text(error.message),
        stack: error.stack === null ? null : text(error.stack),
      },
    };
  };
}

/** Masks a field, also by its name: `{ password: … }` is always a secret. */
function maskField(name: string, value: unknown, mask: Redactor['value']): unknown {
  try {
    const json = JSON.stringify({ [name]: value });
    const [masked] = Object.values(mask(JSON.parse(json)) as object);
    return masked;
  } catch {
    return mask(String(value));
  }
}
