/**
 * Failures as data. The errors that the SDK throws in the workflow and those that a reader decodes from the history
 * result in the same record.
 */

import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TemporalFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { cutDeep, isObject } from '../core/lib/index.js';
import type { FailureDetails } from '../core/model/index.js';
import { failureTypes } from './names.js';

export type ActivityResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: FailureDetails };

/**
 * Returns what an error states that the SDK throws in the workflow for an activity or a child workflow. The history has the failure
 * without this wrapper (L1); it may be one of the same class, which code of the user rethrew.
 */
export function unwrapFailure(error: unknown): unknown {
  return error instanceof ActivityFailure || error instanceof ChildWorkflowFailure ? error.cause : error;
}

/** @param cause the failure as in the history, see `unwrapFailure` */
export function toFailure(cause: unknown): FailureDetails {
  if (cause instanceof TimeoutFailure) return toTimeoutFailure(cause.timeoutType);
  if (cause instanceof CancelledFailure) return cancelledFailure;
  if (cause instanceof ApplicationFailure) {
    const details = cutDeep(cause.details?.[0] ?? null);
    return { type: cause.type ?? 'Error', message: cause.message, timeoutType: null, details };
  }
  if (isRethrown(cause)) return { type: 'Error', message: findDeepestMessage(cause), timeoutType: null, details: null };
  const message = cause instanceof Error ? cause.message : 'The activity ended without a reason.';
  return { type: 'lost', message, timeoutType: null, details: null };
}

/**
 * Returns the failure of the workflow of a call. Only the workflow's own failure is read, not the cause below it: an activity of a
 * workflow that did not run states nothing about the workflow.
 *
 * @param cause the failure as in the history, see `unwrapFailure`
 */
export function toWorkflowFailure(cause: unknown): FailureDetails {
  if (cause instanceof TimeoutFailure) return workflowTimeout;
  if (cause instanceof TerminatedFailure)
    return { ...workflowTimeout, type: 'lost', message: 'Its workflow was terminated.', timeoutType: null };
  if (cause instanceof ApplicationFailure && cause.type === failureTypes.callFailed) {
    return parseFailure(cause.details?.[0]) ?? toFailure(cause);
  }
  if (isRethrown(cause)) {
    return { type: 'WorkflowFailed', message: findDeepestMessage(cause), timeoutType: null, details: null };
  }
  return toFailure(cause);
}

/** Of an activity or a child workflow of the one that failed, which did not catch it. */
function isRethrown(cause: unknown): cause is ActivityFailure | ChildWorkflowFailure {
  return cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure;
}

const workflowTimeout: FailureDetails = {
  type: 'timeout',
  message: "its workflow's timeout",
  timeoutType: 'START_TO_CLOSE',
  details: null,
};

function parseFailure(value: unknown): FailureDetails | null {
  if (!isObject(value)) return null;
  const { type, message, timeoutType, details } = value;
  if (typeof type !== 'string' || typeof message !== 'string') return null;
  return {
    type,
    message,
    timeoutType: typeof timeoutType === 'string' ? timeoutType : null,
    details: cutDeep(details),
  };
}

function findDeepestMessage(error: Error): string {
  let deepest = error;
  while (deepest instanceof TemporalFailure && deepest.cause !== undefined) deepest = deepest.cause;
  return deepest.message;
}

export const cancelledFailure: FailureDetails = {
  type: 'cancelled',
  message: 'It was cancelled.',
  timeoutType: null,
  details: null,
};

function toTimeoutFailure(timeoutType = 'UNSPECIFIED'): FailureDetails {
  return { type: 'timeout', message: `${formatTimeoutType(timeoutType)} timeout`, timeoutType, details: null };
}

function formatTimeoutType(timeoutType: string): string {
  return timeoutType.toLowerCase().replaceAll('_', ' ');
}
