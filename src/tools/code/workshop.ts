/** What the tools that run programs share: where, and with which variables. */

import { dirname } from 'node:path';
import type { Root } from '../files/root.js';
import { find } from '../files/root.js';
import { cleanEnvironment, type Variables } from './clean-environment.js';

export interface Workshop {
  readonly root: Root;
  /** Variables that programs get besides the worker's harmless ones. */
  readonly env: Variables;
}

/** @throws {ToolError} when the folder does not exist on this worker */
export async function openWorkshop({
  root,
  env,
}: Workshop): Promise<{ readonly cwd: string; readonly env: Variables }> {
  const top = await find(root, '.');
  const cwd = top?.real ?? root.path;
  // Git looks for a repository in the folders above, up to these: one that holds the root is not the agent's.
  return { cwd, env: { ...cleanEnvironment(process.env, env), GIT_CEILING_DIRECTORIES: dirname(cwd) } };
}
