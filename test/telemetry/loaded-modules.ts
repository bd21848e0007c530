/** Runs a chain in a separate process, as a user's program does, and reports the OpenTelemetry packages it loaded. */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ProgramOptions {
  readonly address: string;
  readonly taskQueue: string;
  readonly modelUrl: string;
}

export interface LoadedModules {
  /** Names, sorted. */
  readonly packages: readonly string[];
  readonly outcome: string;
  /** Number of history events with headers. */
  readonly headers: number;
  /** Logged warnings and errors. */
  readonly complaints: readonly string[];
}

export async function loadedModules(
  options: ProgramOptions,
  env: Readonly<Record<string, string>>,
): Promise<LoadedModules> {
  const { PATH = '', HOME = '' } = process.env;
  const program = fileURLToPath(new URL('./greeting-program.mjs', import.meta.url));
  const bare = { PATH, HOME, LONGHAND_STORE: 'none', ...env };
  const args = [program, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { env: bare, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  await new Promise((resolve) => child.on('close', resolve));
  return JSON.parse(output);
}
