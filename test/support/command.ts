/** The built `longhand` command in a separate process, as a person or a script runs it. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { encryptionEnvironment } from './encrypted-run.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Running {
  readonly process: ChildProcessWithoutNullStreams;
  /** Returns the standard error so far. */
  readonly readStderr: () => string;
  readonly end: Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Creates an environment without the caller's keys, addresses and store. */
export function createEnvironment(): Readonly<Record<string, string>> {
  const { PATH = '', HOME = '' } = process.env;
  const none = { LONGHAND_STORE: 'none', LONGHAND_TOKENS: 'off', TEMPORAL_CONFIG_FILE: '/dev/null' };
  return { PATH, HOME, ...none, ...encryptionEnvironment };
}

/** @param env added to the minimal environment */
export function longhand(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const options = { cwd: root, env: { ...createEnvironment(), ...env } };
  const child = spawn(process.execPath, ['bin/longhand.js', ...args], options);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  const end = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
  return { process: child, readStderr: () => stderr, end };
}
