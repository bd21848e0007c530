/** Errors of the client, and checks for errors of the server. How a chain ends is an outcome, never an error. */

import { ServiceError } from '@temporalio/client';
import { type ErrorCode, LonghandError } from '../../core/lib/index.js';
import type { RejectionCode } from '../../core/model/index.js';

/** A chain with this id exists, running or ended. */
export class ChainExistsError extends LonghandError {
  override readonly name = 'ChainExistsError';

  constructor(
    readonly chainId: string,
    message = `Chain ${chainId} exists. Choose another id, pass \`ifExists: 'join'\` to use it, or \`'again'\` to run it again once it has ended.`,
  ) {
    super('chain_exists', message);
  }
}

/** A chain cannot be followed up, because it still runs. */
export class ChainRunningError extends LonghandError {
  override readonly name = 'ChainRunningError';

  constructor(readonly chainId: string) {
    super('chain_running', `Chain ${chainId} still runs. Steer it to send it a message now, or wait for its end.`);
  }
}

/** No chain with this id exists, or its retention has ended. */
export class ChainNotFoundError extends LonghandError {
  override readonly name = 'ChainNotFoundError';

  constructor(readonly chainId: string) {
    super(
      'chain_not_found',
      `Chain ${chainId} not found on this server and namespace; its retention may have ended. Check the id, TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE.`,
    );
  }
}

/** A chain rejected a command, or has ended. The message names the problem and the fix. */
export class CommandRejectedError extends LonghandError {
  override readonly name = 'CommandRejectedError';

  constructor(
    readonly chainId: string,
    readonly rejection: RejectionCode | 'chain_ended',
    message: string,
  ) {
    super(rejection === 'chain_ended' ? 'chain_ended' : 'command_rejected', message);
  }
}

/** Invalid input, rejected before anything is sent. */
export class InvalidInputError extends LonghandError {
  override readonly name: string = 'InvalidInputError';

  constructor(message: string, code: ErrorCode = 'invalid_options') {
    super(code, message);
  }
}

/** Creates the error of an invalid option from what is wrong, as a sentence. */
export function createInvalidInput(sentence: string): InvalidInputError {
  return new InvalidInputError(sentence);
}

/** The chain cannot be forked: the step does not exist, nothing is left to do after it, or it is too large. */
export class ForkError extends InvalidInputError {
  override readonly name = 'ForkError';

  constructor(message: string, code: 'fork_impossible' | 'fork_needs_message' = 'fork_impossible') {
    super(message, code);
  }
}

/** The archive's row of a chain differs from its facts: one of them was altered. */
export class ArchiveMismatchError extends LonghandError {
  override readonly name = 'ArchiveMismatchError';

  constructor(
    readonly chainId: string,
    readonly member: string,
  ) {
    super(
      'archive_mismatch',
      `The archive's ${member} of chain ${chainId} differs from its facts: one of them was altered. See \`longhand chain verify ${chainId}\`.`,
    );
  }
}

const unavailableCodes: ReadonlySet<unknown> = new Set([4, 14]);

/** Whether the server does not answer: gRPC's codes `DEADLINE_EXCEEDED` and `UNAVAILABLE`, also as a cause. */
export function isServerUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && unavailableCodes.has(error.code)) return true;
  return error instanceof ServiceError && error.cause !== undefined && isServerUnavailable(error.cause);
}

/** Whether the server lacks a search attribute: the first worker registers them. */
export function isSearchAttributeMissing(error: unknown): boolean {
  return error instanceof ServiceError && /search attribute/i.test(String(error.cause));
}
