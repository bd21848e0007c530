/** The folder and the environment of tools that run programs. */

import { dirname } from 'node:path';
import type { SecretMasker } from '../../core/redact/index.js';
import { registerSecrets } from '../../secrets/index.js';
import { findPlace, type Root } from '../../tools/builtin/index.js';
import {
  type CommandVariables,
  createCommandEnvironment,
  createSecretDetector,
  pickVariables,
} from '../../tools/process/index.js';
import { explicitRepositoriesOnly, withGitSettings } from './git/settings.js';

export interface CommandContext {
  readonly root: Root;
  /** Variables for programs, in addition to the worker's usual ones. */
  readonly env: CommandVariables;
  /** Names of additional variables of the worker for programs. */
  readonly passEnv: readonly string[];
  /** Names of the filters that Git may run. */
  readonly gitFilters: readonly string[];
}

interface CommandEnvironment {
  readonly cwd: string;
  readonly env: CommandVariables;
  /** Masks credentials of the programs in their output. */
  readonly masker: SecretMasker;
}

/** @throws {ToolError} when the folder does not exist on this worker */
export async function openCommandContext({ root, env, passEnv }: CommandContext): Promise<CommandEnvironment> {
  const top = await findPlace(root, '.');
  const cwd = top?.real ?? root.path;
  const isSecret = createSecretDetector();
  const own = { ...pickVariables(process.env, passEnv), ...env };
  const masker = registerSecrets(
    Object.entries(own).flatMap(([name, value]) => (isSecret(name, value) ? [value] : [])),
  );
  const clean = createCommandEnvironment(process.env, { names: passEnv, given: env });
  // Stops Git's search for a repository in parent folders: one around the root is not the agent's.
  const bounds = { GIT_CEILING_DIRECTORIES: dirname(cwd) };
  return { cwd, env: withGitSettings({ ...clean, ...bounds }, [explicitRepositoriesOnly]), masker };
}
