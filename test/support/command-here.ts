/**
 * The `longhand` command in this process, because the imports of a new process take a second of processor time. The
 * environment is the same minimal one. Tests of signals, pipes, terminals, workers, their own environment or secrets that
 * this process has used run `longhand` of command.ts in a separate process.
 */

import { main } from '../../src/cli/main.js';
import { createEnvironment, type Ended, longhand } from './command.js';

/** Commands that install Temporal's runtime, of which a process can have only one. */
const ownProcess = ['run', 'start', 'worker', 'dev', 'demo', 'chain replay', 'chain debug', 'plan run'];

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command that ends by itself. Commands run one after the other.
 *
 * @param env added to the minimal environment, as for `longhand`
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
