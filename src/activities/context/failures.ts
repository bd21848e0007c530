/**
 * Failures as Temporal writes them down: a type, a sentence that is fit for a terminal, no stack. A stack is for logs; in a
 * history it is only weight.
 */

import { ApplicationFailure } from '@temporalio/common';
import { shorten } from '../../core/lib/display.js';
import type { Json } from '../../core/lib/json.js';
import { plain } from '../../core/lib/plain.js';

/** Characters of a message that a history keeps. */
const longest = 4_000;

interface FailureOptions {
  readonly retryable?: boolean;
  readonly details?: Json;
}

export function failure(type: string, message: string, options: FailureOptions = {}): ApplicationFailure {
  const made = ApplicationFailure.create({
    type: plain(type),
    message: shorten(plain(message), longest),
    nonRetryable: !options.retryable,
    ...(options.details === undefined ? {} : { details: [options.details] }),
  });
  made.stack = '';
  return made;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
