/** A statement for a database, with its limits, and how it fails. */

import type { RowLimits } from './result.js';

type SqlParameter = string | number | boolean | null;

export interface SqlRequest {
  /** Checked: one statement. */
  readonly sql: string;
  readonly params: readonly SqlParameter[];
  readonly canWrite: boolean;
  readonly limits: RowLimits;
  /** Milliseconds for the statement, and for each lock that it waits for. */
  readonly timeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * - `rejected`: another statement may succeed
 * - `misconfigured`: an operator must change something
 * - `temporary`: the same statement may succeed later
 * - `cancelled`: by the call's signal
 * - `unknown`: the statement may have changed rows. All others have changed nothing
 */
export type SqlFailureKind = 'rejected' | 'misconfigured' | 'temporary' | 'cancelled' | 'unknown';

/** The message contains neither the address nor the login of the database. */
export class SqlFailure extends Error {
  override readonly name = 'SqlFailure';

  constructor(
    readonly kind: SqlFailureKind,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

export function createTimeoutFailure(timeoutMs: number): SqlFailure {
  return new SqlFailure(
    'rejected',
    `The statement took longer than ${timeoutMs / 1_000} s and was stopped. Read fewer rows, or use an indexed column.`,
  );
}

/** @param kind `unknown` where the statement may have been committed */
export function createCancelFailure(kind: 'cancelled' | 'unknown' = 'cancelled'): SqlFailure {
  return new SqlFailure(kind, 'The statement was cancelled.');
}
