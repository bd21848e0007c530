/** The errors that a tool throws on purpose. Any other error counts as a fault that a retry may fix. */

import { LonghandError } from '../../core/lib/index.js';

export interface ToolErrorOptions {
  /** Whether the chain ends, as `failure`. */
  readonly fatal?: boolean;
  readonly cause?: unknown;
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

  constructor(message: string, options: ToolErrorOptions = {}) {
    super('tool_failed', message, { cause: options.cause });
    this.fatal = options.fatal ?? false;
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

  constructor(message = '', options?: ErrorOptions) {
    super('not_done', message, options);
  }
}

/** Compares by name, not by class: a tool may use another copy of this package. */
export function isNamed(error: unknown, name: 'ToolError' | 'NotDone'): error is Error {
  return error instanceof Error && error.name === name;
}

/** Returns whether a tool's error ends the chain. */
export function isFatal(error: Error): boolean {
  return 'fatal' in error && error.fatal === true;
}
