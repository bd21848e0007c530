/** What the tools that run programs share: where, and with which variables. */

import { dirname } from 'node:path';
import type { Hider } from '../../core/redact/known-secrets.js';
import { handOut } from '../../secrets/handed-out.js';
import type { Root } from '../files/root.js';
import { find } from '../files/root.js';
import { cleanEnvironment, opening, type Variables } from './clean-environment.js';

export interface Workshop {
  readonly root: Root;
  /** Variables that programs get besides the worker's harmless ones. */
  readonly env: Variables;
}

export interface OpenWorkshop {
  readonly cwd: string;
  readonly env: Variables;
  /** Hides what programs were given to open something with, in what they say. */
  readonly hider: Hider;
}

/** @throws {ToolError} when the folder does not exist on this worker */
export async function openWorkshop({ root, env }: Workshop): Promise<OpenWorkshop> {
  const top = await find(root, '.');
  const cwd = top?.real ?? root.path;
  const opens = opening();
  const hider = handOut(Object.entries(env).flatMap(([name, value]) => (opens(name, value) ? [value] : [])));
  // Git looks for a repository in the folders above, up to these: one that holds the root is not the agent's.
  return { cwd, env: { ...cleanEnvironment(process.env, env), GIT_CEILING_DIRECTORIES: dirname(cwd) }, hider };
}
