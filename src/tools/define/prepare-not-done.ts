/** L5: a failure of what precedes a call is no doubt about its outcome. */

import { toSafeErrorMessage } from '../../core/redact/index.js';
import { isNamed, NotDone } from './errors.js';

/**
 * Does what precedes the start of a thread or a program.
 * @throws {NotDone} for any error
 */
export function prepareNotDone<T>(name: string, prepare: () => T): T {
  try {
    return prepare();
  } catch (cause) {
    throw isNamed(cause, 'NotDone')
      ? cause
      : new NotDone(`${name} did not run: ${toSafeErrorMessage(cause)}`, { cause });
  }
}
