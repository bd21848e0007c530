/** Checks of names that the chain's workflow passes to Temporal: the server rejects a task with an invalid one for ever (L7). */

import { check } from '../../core/lib/index.js';

/** Characters. The server's limit is 1,000 bytes. */
const maxCharacters = 200;

/** The type of an activity or of a workflow. */
export const checkTypeName = check.refine(
  check.nonEmptyText,
  ({ length }) => length <= maxCharacters,
  `must have at most ${maxCharacters} characters`,
);

const reservedPrefix = '/_sys/';

export const checkTaskQueue = check.refine(
  checkTypeName,
  (name) => !name.startsWith(reservedPrefix),
  `must not begin with ${reservedPrefix}, which Temporal reserves for itself`,
);
