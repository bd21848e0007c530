/**
 * The `longhand` command in this process, because a new process takes a second of processor time. The environment is the same
 * minimal one. Tests of signals, pipes, terminals, logs, exits, their own environment or secrets that this process has used run
 * `longhand` of command.ts in a separate process.
 */

import { fileURLToPath } from 'node:url';
import { Runtime } from '@temporalio/worker';
import { main } from '../../src/cli/main.js';
import { loadModule } from '../../src/cli/run/load-module.js';
import { createEnvironment, type Ended } from './command.js';

/** Commands that run chains, and so load modules of users and the workflow: the built ones, with the bundle of the build. */
const built = ['run', 'worker', 'dev', 'demo', 'chain replay', 'chain debug', 'plan run', 'agent', 'tools call'];

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command that ends by itself. Commands run one after the other, and log with this process's runtime.
 *
 * @param env added to the minimal environment, as for `longhand`
 */
export function longhandHere(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const ended = last.then(() => run(args, env));
  last = ended.catch(() => {});
  return ended;
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const command = built.some((name) => `${args.join(' ')} `.startsWith(`${name} `)) ? await loadBuilt() : main;
  const before = process.env;
  const stdout = captureStream(process.stdout);
  const stderr = captureStream(process.stderr);
  process.env = { ...createEnvironment(), ...env };
  try {
    const code = await command(args);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.env = before;
    stdout.release();
    stderr.release();
  }
}

/** Loaded as modules of users are: Node imports it, not Vitest, and both share one copy of the build. */
async function loadBuilt(): Promise<typeof main> {
  // Before the command installs one, with its own logs, which later tests would get.
  if (Runtime.instantiator === undefined) await import('./runtime.js');
  const built = await loadModule(fileURLToPath(new URL('../../packages/cli/dist/src/cli/main.js', import.meta.url)));
  return (built as { readonly main: typeof main }).main;
}

/** Captures the output of a stream, which is not a terminal until it is released. */
function captureStream(stream: NodeJS.WriteStream) {
  const { write, isTTY, columns } = stream;
  let text = '';
  const capture = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
  Object.assign(stream, { write: capture, isTTY: false, columns: undefined });
  const release = () => Object.assign(stream, { write, isTTY, columns });
  return { text: () => text, release };
}
