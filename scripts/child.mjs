/** Children of a script: their output, exit code and signals pass through it. */

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { SetupError } from './stage.mjs';

/** The checkout, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program in the checkout, at this terminal, and resolves with its exit code. */
export function run(program, args, { env = process.env, stdout = 'inherit' } = {}) {
  const child = spawn(program, args, { cwd: root, env, stdio: ['inherit', stdout, 'inherit'] });
  const forward = (signal) => child.kill(signal);
  // A terminal sends Ctrl-C to the child as well: forwarded, it would count as two, and a second one means "at once".
  const ignore = () => {};
  const onInterrupt = process.stdin.isTTY ? ignore : forward;
  process.on('SIGINT', onInterrupt).on('SIGTERM', forward).on('SIGHUP', forward);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('SIGINT', onInterrupt).off('SIGTERM', forward).off('SIGHUP', forward);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/** Runs a program, in the checkout by default, and resolves with its exit code and its output. */
export function capture(program, args, { cwd = root, env = process.env } = {}) {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Runs a program as `capture`, and resolves with its output. @throws {SetupError} with the output, when it fails */
export async function runQuietly(program, args, options) {
  const { code, output } = await capture(program, args, options);
  if (code !== 0) throw new SetupError(`${program} ${args.join(' ')} failed:\n${output.trim()}`);
  return output;
}
