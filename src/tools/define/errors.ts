/** The errors that a tool throws on purpose. Any other error counts as a fault that a retry may fix. */

import { LonghandError } from '../../core/lib/index.js';

interface FailureOptions {
  /** Whether a call with equal arguments fails again: the chain then answers it without a run. Default false. */
  readonly permanent?: boolean;
  readonly cause?: unknown;
}

export interface ToolErrorOptions extends FailureOptions {
  /** Whether the chain ends, as `failure`. */
  readonly fatal?: boolean;
}

/**
 * An error for the model: it sees the message, and the call is not retried.
 *
 * @example
 * throw new ToolError('City Atlantis not found. Use another city.');
 */
export class ToolError extends LonghandError {
  override readonly name = 'ToolError';
  readonly fatal: boolean;
  readonly permanent: boolean;

  constructor(message: string, options: ToolErrorOptions = {}) {
    super('tool_failed', message, { cause: options.cause });
    this.fatal = options.fatal ?? false;
    this.permanent = options.permanent ?? false;
  }
}

/**
 * Reports that the call certainly did not happen.
 *
 * For a tool with `effects: 'unsafe'`, any other error leaves the outcome unknown: a person must resolve it before the
 * chain continues.
 *
 * @example
 * if (!(await card.reserve(amount))) throw new NotDone('The card was declined; nothing was charged.');
 */
export class NotDone extends LonghandError {
  override readonly name = 'NotDone';
  readonly permanent: boolean;

  constructor(message = '', options: FailureOptions = {}) {
    super('not_done', message, { cause: options.cause });
    this.permanent = options.permanent ?? false;
  }
}

/** Compares by name, not by class: a tool may use another copy of this package. */
export function isNamed(error: unknown, name: 'ToolError' | 'NotDone'): error is Error {
  return error instanceof Error && error.name === name;
}

/** Returns what a tool's error states: that the chain ends, that an equal call fails again. */
export function listErrorMarks(error: Error): { readonly fatal: boolean; readonly permanent?: true } {
  const isPermanent = 'permanent' in error && error.permanent === true;
  return { fatal: 'fatal' in error && error.fatal === true, ...(isPermanent ? { permanent: true } : {}) };
}
