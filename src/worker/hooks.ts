/**
 * Hooks: functions of the user that a worker calls for steps, tool calls and ends, for logs and metrics.
 *
 * H1 A hook changes no chain: it is not awaited, and its failure is one line in the log.
 * H2 It receives no content: names, numbers and codes alone.
 */

import type { InjectedSinks } from '@temporalio/worker';
import type { EndEvent, EventPlace, EventSinks, StepEvent } from '../contract/index.js';
import { check, LonghandError, toErrorMessage } from '../core/lib/index.js';
import type { RunReference } from '../history/index.js';
import { getErrorType, type Instruments, type WarnFunction } from '../telemetry/index.js';

/** One attempt at a tool call ended. */
export interface ToolCallEvent extends EventPlace {
  readonly step: number;
  /** The call's id in the chain: `3.1`. */
  readonly call: string;
  readonly tool: string;
  /** From 1. */
  readonly attempt: number;
  /** `cached`: the tool cache had the result. */
  readonly outcome: 'ok' | 'cached' | 'failed';
  /** Name of the error; null unless `failed`. */
  readonly errorType: string | null;
  readonly durationMs: number;
}

/** May return a promise, which the worker does not wait for. */
type Hook<E> = (event: E) => unknown;

export interface WorkerHooks {
  /** Called for each reply of a model, before its calls are executed. */
  readonly onStep?: Hook<StepEvent>;
  /** Called after each attempt at a tool call that this worker executed. */
  readonly onToolCall?: Hook<ToolCallEvent>;
  /** Called at the end of each chain, sub-chains included. Not called for a chain that was terminated. */
  readonly onEnd?: Hook<EndEvent>;
}

const checkHook: check.ValueCheck = (value, at) => (typeof value === 'function' ? null : `${at} must be a function`);
const checks = { onStep: checkHook, onToolCall: checkHook, onEnd: checkHook };

/** @throws {LonghandError} `invalid_options` */
export function checkHooks(hooks: WorkerHooks = {}): void {
  const problem = check.members<WorkerHooks>(checks)(hooks, 'hooks');
  if (problem !== null) throw new LonghandError('invalid_options', `Invalid option \`hooks\`: ${problem}.`);
}

/** H1. */
function callHook<E>(name: keyof WorkerHooks, hook: Hook<E> | undefined, event: E, warn: WarnFunction): void {
  if (hook === undefined) return;
  const fail = (error: unknown) => warn(`The hook ${name} failed: ${toErrorMessage(error)}`);
  try {
    // A thenable of any kind.
    void Promise.resolve(hook(event)).catch(fail);
  } catch (error) {
    fail(error);
  }
}

/** Receives the ends of chains for webhooks. `isRoot` is false where only the history shows that. */
export type EndListener = (
  run: RunReference,
  chain: { readonly tenant: string | null; readonly isRoot: boolean },
) => void;

/** Present also without hooks: the SDK warns about a sink that a workflow calls and the worker lacks. */
export function createEventSinks(
  hooks: WorkerHooks,
  warn: WarnFunction,
  reportEnd: EndListener = () => {},
): InjectedSinks<EventSinks> {
  return {
    longhandEvents: {
      stepAdded: { fn: (_info, event) => callHook('onStep', hooks.onStep, event, warn) },
      chainEnded: {
        fn: ({ workflowId, runId, parent }, event) => {
          callHook('onEnd', hooks.onEnd, event, warn);
          reportEnd({ workflowId, runId }, { tenant: event.tenant, isRoot: parent === undefined });
        },
      },
    },
  };
}

export function addToolCallHook(
  instruments: Instruments,
  { onToolCall }: WorkerHooks,
  warn: WarnFunction,
): Instruments {
  if (onToolCall === undefined) return instruments;
  return {
    ...instruments,
    measureToolCall: async (measured, run) => {
      const began = performance.now();
      const { chain: _content, ...place } = measured;
      const report = (outcome: ToolCallEvent['outcome'], errorType: string | null) => {
        const durationMs = Math.round(performance.now() - began);
        callHook('onToolCall', onToolCall, { ...place, outcome, errorType, durationMs }, warn);
      };
      try {
        const observation = await instruments.measureToolCall(measured, run);
        report(observation.cached === undefined ? 'ok' : 'cached', null);
        return observation;
      } catch (error) {
        report('failed', getErrorType(error));
        throw error;
      }
    },
  };
}
