/** Checks of names that the chain's workflow passes to Temporal: the server rejects a task with an invalid one for ever (L7). */

import * as check from '../../core/lib/check.js';

/** Characters. The server's limit is 1,000 bytes. */
const maxCharacters = 200;

/** The type of an activity or of a workflow. */
export const checkTypeName: check.ValueCheck = (value, at) =>
  check.nonEmptyText(value, at) ??
  (String(value).length > maxCharacters ? `${at} must have at most ${maxCharacters} characters` : null);

const reservedPrefix = '/_sys/';

export const checkTaskQueue: check.ValueCheck = (value, at) =>
  checkTypeName(value, at) ??
  (String(value).startsWith(reservedPrefix)
    ? `${at} must not begin with ${reservedPrefix}, which Temporal reserves for itself`
    : null);
