/** What the tools that run programs share: where, and with which variables. */

import { dirname } from 'node:path';
import type { SecretMasker } from '../../core/redact/known-secrets.js';
import { registerSecrets } from '../../secrets/secret-registry.js';
import { findPlace, type Root } from '../../tools/builtin/files/root.js';
import {
  createCommandEnvironment,
  createSecretDetector,
  explicitRepositoriesOnly,
  pickVariables,
  type Variables,
  withGitSettings,
} from './command-environment.js';

export interface CommandContext {
  readonly root: Root;
  /** Variables that programs get besides the worker's usual ones. */
  readonly env: Variables;
  /** Names of further variables of the worker that programs get. */
  readonly passEnv: readonly string[];
  /** Names of the filters that Git may run. */
  readonly gitFilters: readonly string[];
}

interface CommandEnvironment {
  readonly cwd: string;
  readonly env: Variables;
  /** Hides what programs were given to open something with, in what they say. */
  readonly hider: SecretMasker;
}

/** @throws {ToolError} when the folder does not exist on this worker */
export async function openCommandContext({ root, env, passEnv }: CommandContext): Promise<CommandEnvironment> {
  const top = await findPlace(root, '.');
  const cwd = top?.real ?? root.path;
  const opens = createSecretDetector();
  const own = { ...pickVariables(process.env, passEnv), ...env };
  const hider = registerSecrets(Object.entries(own).flatMap(([name, value]) => (opens(name, value) ? [value] : [])));
  const clean = createCommandEnvironment(process.env, { names: passEnv, given: env });
  // Git looks for a repository in the folders above, up to these: one that holds the root is not the agent's.
  const bounds = { GIT_CEILING_DIRECTORIES: dirname(cwd) };
  return { cwd, env: withGitSettings({ ...clean, ...bounds }, [explicitRepositoriesOnly]), hider };
}
