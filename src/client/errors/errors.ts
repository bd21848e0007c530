/** Errors that clients throw, and those of a server that they recognize. The end of a chain is an outcome, never an error. */

import { ServiceError } from '@temporalio/client';
import { type ErrorCode, LonghandError } from '../../core/lib/errors.js';
import type { RejectionCode } from '../../core/model/rejection.js';

/** There is a chain of this id, running or ended. */
export class ChainExistsError extends LonghandError {
  override readonly name = 'ChainExistsError';

  constructor(readonly chainId: string) {
    super(
      'chain_exists',
      `Chain ${chainId} exists already. Choose another id, pass \`ifExists: 'join'\` to use it, or \`'again'\` to run it again once it has ended.`,
    );
  }
}

/** There is no chain of this id: it never was, or its retention has ended. */
export class ChainNotFoundError extends LonghandError {
  override readonly name = 'ChainNotFoundError';

  constructor(readonly chainId: string) {
    super('chain_not_found', `There is no chain ${chainId} on this server and namespace, or its retention has ended.`);
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

/** What cannot be carried out as it was asked, by what was given: told before anything is sent. */
export class InvalidInputError extends LonghandError {
  override readonly name: string = 'InvalidInputError';

  constructor(message: string, code: ErrorCode = 'invalid_options') {
    super(code, message);
  }
}

/** A chain that cannot be forked as it was asked: there is no such step, nothing to go on with, or too much to carry. */
export class ForkError extends InvalidInputError {
  override readonly name = 'ForkError';

  constructor(message: string) {
    super(message, 'fork_impossible');
  }
}

/** A file that holds no chain: cut short, of another workflow or version, or altered. */
export class InvalidChainFileError extends LonghandError {
  override readonly name = 'InvalidChainFileError';

  /**
   * @param problem what is wrong, as the end of a sentence
   * @param file its name, where it is known
   */
  constructor(
    readonly problem: string,
    file = 'The file',
  ) {
    super('invalid_chain_file', `${file} holds no chain that can be read: ${problem}.`);
  }
}

/** An archived chain whose row says otherwise than its facts: somebody altered the one or the other. */
export class ArchiveMismatchError extends LonghandError {
  override readonly name = 'ArchiveMismatchError';

  constructor(
    readonly chainId: string,
    readonly member: string,
  ) {
    super(
      'archive_mismatch',
      `The archive lists another ${member} than its facts come to for chain ${chainId}: one of them was altered. See \`longhand chain verify ${chainId}\`.`,
    );
  }
}

const unavailableCodes: ReadonlySet<unknown> = new Set([4, 14]);

/**
 * Whether a server does not answer, as opposed to answering that it has no such thing: by gRPC's codes for what is unavailable,
 * and for what was waited for too long.
 */
export function isServerUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && unavailableCodes.has(error.code)) return true;
  return error instanceof ServiceError && error.cause !== undefined && isServerUnavailable(error.cause);
}

/** Whether a server has no such search attribute: the first worker registers them. */
export function isSearchAttributeMissing(error: unknown): boolean {
  return error instanceof ServiceError && /search attribute/i.test(String(error.cause));
}
