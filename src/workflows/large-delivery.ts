/**
 * L7: keeps a workflow task with thousands of signals cheap. For its query of stack traces, the SDK creates an `Error` for
 * each promise, which takes most of the time of such a task: 9,900 signals would exceed the server's limit of 10 s on a
 * slow processor, in each attempt. A task that delivers more than a turn takes records no traces.
 */

import type { WorkflowInterceptors } from '@temporalio/workflow';
import { defaults } from '../core/model/defaults.js';

export function interceptors(): WorkflowInterceptors {
  return {
    internals: [
      {
        activate(input, next) {
          if ((input.activation.jobs?.length ?? 0) > defaults.messagesPerTurn) globalThis.Error = untracedError;
          next(input);
        },
        concludeActivation(input, next) {
          if (globalThis.Error !== tracedError) globalThis.Error = tracedError;
          return next(input);
        },
      },
    ],
  };
}

const tracedError = Error;

/** The SDK creates its errors without a message, and records nothing where one has no stack. */
const untracedError = new Proxy(tracedError, {
  construct: (target, args, newTarget) => (args.length === 0 ? {} : Reflect.construct(target, args, newTarget)),
});
