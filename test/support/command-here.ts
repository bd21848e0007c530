/**
 * The `longhand` command in this process: no new process, whose imports take a second of processor time. It is given the
 * same bare environment; what needs a process of its own (signals, pipes, terminals, workers, what a test sets in its own
 * environment, secrets that this process has handed out) runs as `longhand` in command.ts.
 */

import { main } from '../../src/cli/main.js';
import { createEnvironment, type Ended, longhand } from './command.js';

/** They install Temporal's runtime, of which a process has one. */
const ownProcess = ['run', 'start', 'worker', 'dev', 'demo', 'chain replay', 'chain debug', 'plan run'];

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command that ends by itself, after those that were asked for before.
 *
 * @param env laid over a bare environment, as for `longhand`
 */
export function longhandHere(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  if (ownProcess.some((name) => args.join(' ').startsWith(name))) return longhand(args, env).end;
  const ended = last.then(() => run(args, env));
  last = ended.catch(() => {});
  return ended;
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const before = process.env;
  const stdout = captureStream(process.stdout);
  const stderr = captureStream(process.stderr);
  process.env = { ...createEnvironment(), ...env };
  try {
    const code = await main(args);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.env = before;
    stdout.release();
    stderr.release();
  }
}

/** Holds what is written to a stream, which is no terminal meanwhile. */
function captureStream(stream: NodeJS.WriteStream) {
  const { write, isTTY, columns } = stream;
  let text = '';
  const hold = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
  Object.assign(stream, { write: hold, isTTY: false, columns: undefined });
  const release = () => Object.assign(stream, { write, isTTY, columns });
  return { text: () => text, release };
}
