/** What the chain refused for want of a role, told with how one is named on the command line. */

import { RefusedError } from '../../client/errors/errors.js';
import { asRole } from '../../core/state/decided-text.js';
import type { NamedSpeaker } from './speaker.js';

/** @param wanted roles of which any one is enough; none: that was not the reason */
export function withRole(error: RefusedError, wanted: readonly string[], { roles }: NamedSpeaker): RefusedError {
  if (wanted.length === 0 || wanted.some((role) => roles.includes(role))) return error;
  return new RefusedError(error.chainId, error.why, `${error.message} With it:${asRole(wanted)}.`);
}
