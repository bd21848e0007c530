/**
 * Keeps the workflow tasks of chains cheap. For its query of stack traces, the SDK creates an `Error` for each promise: a tenth
 * of the CPU of a step, and most of a task with thousands of signals, which would exceed the server's limit of 10 s on a slow
 * processor (L7). A chain always waits in the same place, and its details name what for. Workflows of users keep their traces.
 */

import { type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { workflowType } from '../contract/index.js';

export function interceptors(): WorkflowInterceptors {
  if (workflowInfo().workflowType !== workflowType) return {};
  return {
    internals: [
      {
        activate(input, next) {
          globalThis.Error = untracedError;
          try {
            next(input);
          } catch (error) {
            globalThis.Error = tracedError;
            throw error;
          }
        },
        concludeActivation(input, next) {
          globalThis.Error = tracedError;
          return next(input);
        },
      },
    ],
  };
}

const tracedError = Error;

/** The SDK creates its errors without a message, and records nothing where one has no stack. */
const untracedError = new Proxy(tracedError, {
  construct: (target, args, newTarget) =>
    args.length === 0 ? Object.create(newTarget.prototype) : Reflect.construct(target, args, newTarget),
});
