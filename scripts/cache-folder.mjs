/** What is made once and shared by all checkouts, in the cache folder of the Temporal CLI. */

import { existsSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** As in src/cli/server/temporal-cli.ts. */
export function getCacheFolder(env = process.env) {
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'longhand');
}

/**
 * Gives a folder its own name once it is complete, so that a folder of this name is complete also with two processes at once.
 *
 * @param isMade whether another process was faster
 */
export function moveUnlessMade(from, to, isMade = () => existsSync(to)) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isMade()) throw error;
  }
}
