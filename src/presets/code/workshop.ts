/** What the tools that run programs share: where, and with which variables. */

import { dirname } from 'node:path';
import type { Hider } from '../../core/redact/known-secrets.js';
import { handOut } from '../../secrets/handed-out.js';
import { find, type Root } from '../../tools/builtin/files/root.js';
import {
  cleanEnvironment,
  onlyRealRepositories,
  opening,
  pick,
  type Variables,
  withGitSettings,
} from './clean-environment.js';

export interface Workshop {
  readonly root: Root;
  /** Variables that programs get besides the worker's usual ones. */
  readonly env: Variables;
  /** Names of further variables of the worker that programs get. */
  readonly passEnv: readonly string[];
  /** Names of the filters that Git may run. */
  readonly gitFilters: readonly string[];
}

interface OpenWorkshop {
  readonly cwd: string;
  readonly env: Variables;
  /** Hides what programs were given to open something with, in what they say. */
  readonly hider: Hider;
}

/** @throws {ToolError} when the folder does not exist on this worker */
export async function openWorkshop({ root, env, passEnv }: Workshop): Promise<OpenWorkshop> {
  const top = await find(root, '.');
  const cwd = top?.real ?? root.path;
  const opens = opening();
  const own = { ...pick(process.env, passEnv), ...env };
  const hider = handOut(Object.entries(own).flatMap(([name, value]) => (opens(name, value) ? [value] : [])));
  const clean = cleanEnvironment(process.env, { names: passEnv, given: env });
  // Git looks for a repository in the folders above, up to these: one that holds the root is not the agent's.
  const bounds = { GIT_CEILING_DIRECTORIES: dirname(cwd) };
  return { cwd, env: withGitSettings({ ...clean, ...bounds }, [onlyRealRepositories]), hider };
}
