/**
 * Failures as data. The errors that the SDK throws in the workflow and those that a reader decodes from the history
 * result in the same record.
 */

import { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure } from '@temporalio/common';
import { cutDeep } from '../core/lib/cut-deep.js';
import type { FailureDetails } from '../core/model/fact.js';

export function toFailure(error: unknown): FailureDetails {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure) return toTimeoutFailure(cause.timeoutType);
  if (cause instanceof CancelledFailure) return cancelledFailure;
  if (cause instanceof ApplicationFailure) {
    const details = cutDeep(cause.details?.[0] ?? null);
    return { type: cause.type ?? 'Error', message: cause.message, timeoutType: null, details };
  }
  const message = cause instanceof Error ? cause.message : 'The activity ended without a reason.';
  return { type: 'lost', message, timeoutType: null, details: null };
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
