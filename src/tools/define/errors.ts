/** What a tool may throw on purpose. Anything else that it throws is taken for a fault that another attempt may not have. */

interface ToolErrorOptions {
  /** The chain cannot go on: it ends as `failure`. */
  readonly fatal?: boolean;
  readonly cause?: unknown;
}

/**
 * An error for the model to react to: it is shown the message, and the call is not made again by itself.
 *
 * @example
 * throw new ToolError('There is no city named Atlantis. Ask for another one.');
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly fatal: boolean;

  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.fatal = options.fatal ?? false;
  }
}

/**
 * Says that the call certainly did not happen. For a tool with `effects: 'unsafe'` it is the only thing
 * to throw that leaves no doubt: after any other error the chain must ask before it goes on.
 *
 * @example
 * if (!(await card.reserve(amount))) throw new NotDone('The card was declined; nothing was charged.');
 */
export class NotDone extends Error {
  override readonly name = 'NotDone';
}

/** By name: a tool may have been built with another copy of this package. */
export function isNamed(error: unknown, name: 'ToolError' | 'NotDone'): error is Error {
  return error instanceof Error && error.name === name;
}

/** Whether a tool's error ends the chain. */
export function isFatal(error: Error): boolean {
  return 'fatal' in error && error.fatal === true;
}
