/** What all commands that start a chain can be told of it. */

import { parseLimits } from './limits.js';

export interface StartFlags {
  readonly model?: string;
  readonly limit: readonly string[];
  readonly id?: string;
  readonly tenant?: string;
  readonly user?: string;
  readonly taskQueue?: string;
  readonly json?: boolean;
}

/**
 * As the client takes them; which model is meant where none is named, each command knows by itself.
 *
 * @throws {UsageError} for a limit that cannot be read
 */
export function startOptions({ id, tenant, user, limit }: StartFlags) {
  return { chainId: id, limits: parseLimits(limit), tenant, user };
}
