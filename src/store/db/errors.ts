/** The errors of a store: their kind, and a message with the fix. */

import { type ErrorCode, LonghandError } from '../../core/lib/index.js';

/**
 * - `unavailable`: may answer later: nothing listens, the connection was lost, the store is locked, too many connections
 * - `denied`: a wrong password, or a role without the permission
 * - `notWritable`: a folder or file that this process may not create or write
 * - `full`: its disk is full
 * - `corrupt`: the file is damaged, or not a database
 * - `newer`: migrated by a newer version of Longhand
 * - `missing`: a package, a database or a content does not exist
 * - `tooLarge`: a content exceeds the limit
 * - `misnamed`: not the address of a store
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

/** The message contains the fix, and never a password. */
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

/** Converts a driver's error; null for an error that is not the store's, such as an invalid statement. */
export type ErrorClassifier = (error: unknown) => StoreError | null;
