/** What a store cannot do, told to people: which kind it is, and what to do about it. */

import { type ErrorCode, LonghandError } from '../../core/lib/errors.js';

/**
 * - `unavailable`: it may answer later: nothing listens, a connection was lost, another process holds it, too many connections
 * - `denied`: a wrong password, or a role without the right to do this
 * - `notWritable`: a folder or file that this process may not make or write
 * - `full`: no room is left where it lies
 * - `corrupt`: a file that is no database, or is damaged
 * - `newer`: migrated by a newer version of Longhand
 * - `missing`: a package or a database that is not there
 * - `tooLarge`: a content with more bytes than one may have
 * - `misnamed`: what was given is no place of a store
 */
export type StoreErrorKind =
  | 'unavailable'
  | 'denied'
  | 'notWritable'
  | 'full'
  | 'corrupt'
  | 'newer'
  | 'missing'
  | 'tooLarge'
  | 'misnamed';

const codes: { readonly [kind in StoreErrorKind]: ErrorCode } = {
  unavailable: 'store_unavailable',
  denied: 'store_denied',
  notWritable: 'store_not_writable',
  full: 'store_full',
  corrupt: 'store_corrupt',
  newer: 'store_newer',
  missing: 'store_missing',
  tooLarge: 'store_too_large',
  misnamed: 'store_misnamed',
};

/** The message is a sentence that says what to do. No password is in it. */
export class StoreError extends LonghandError {
  override readonly name = 'StoreError';

  constructor(
    readonly kind: StoreErrorKind,
    message: string,
    cause?: unknown,
  ) {
    super(codes[kind], message, { cause });
  }
}

/** By name: another copy of this package may have thrown it. */
export function isStoreError(error: unknown): error is StoreError {
  return error instanceof Error && error.name === 'StoreError' && 'kind' in error;
}

/** What a driver's error comes to; null for what is no fault of the store's, such as a statement that is wrong. */
export type ErrorClassifier = (error: unknown) => StoreError | null;

/** The code that both drivers put on their errors. */
export function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
