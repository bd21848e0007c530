/** Errors that clients throw, and those of a server that they recognize. The end of a chain is an outcome, never an error. */

import { ServiceError } from '@temporalio/client';

/** There is a chain of this id, running or ended. */
export class ChainExistsError extends Error {
  override readonly name = 'ChainExistsError';

  constructor(readonly chainId: string) {
    super(
      `There is a chain ${chainId} already. Choose another id, or pass \`ifExists: 'join'\` for that one, or \`'again'\` to run anew once it has ended.`,
    );
  }
}

/** There is no chain of this id: it never was, or its retention has ended. */
export class ChainNotFoundError extends Error {
  override readonly name = 'ChainNotFoundError';

  constructor(readonly chainId: string) {
    super(`There is no chain ${chainId} on this server and namespace, or its retention has ended.`);
  }
}

/** What somebody said to a chain is not taken. The message is a sentence for them that says why, and what to do. */
export class CommandRejectedError extends Error {
  override readonly name = 'CommandRejectedError';

  /** @param why by the chain itself, or because it has ended and takes nothing any more */
  constructor(
    readonly chainId: string,
    readonly why: 'refused' | 'ended',
    sentence: string,
  ) {
    super(sentence);
  }
}

/** What cannot be carried out as it was asked, by what was given: told before anything is sent. */
export class InvalidInputError extends RangeError {
  override readonly name: string = 'InvalidInputError';
}

/** A chain that cannot be forked as it was asked: there is no such step, nothing to go on with, or too much to carry. */
export class ForkError extends InvalidInputError {
  override readonly name = 'ForkError';
}

/** A file that holds no chain: cut short, of another workflow or version, or altered. */
export class InvalidChainFileError extends Error {
  override readonly name = 'InvalidChainFileError';

  /**
   * @param problem what is wrong, as the end of a sentence
   * @param file its name, where it is known
   */
  constructor(
    readonly problem: string,
    file = 'The file',
  ) {
    super(`${file} holds no chain that can be read: ${problem}.`);
  }
}

/** An archived chain whose row says otherwise than its facts: somebody altered the one or the other. */
export class ArchiveMismatchError extends Error {
  override readonly name = 'ArchiveMismatchError';

  constructor(
    readonly chainId: string,
    readonly member: string,
  ) {
    super(
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
