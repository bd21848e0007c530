/** Starts a child process of the benchmark, asks it, and stops it. */

import type { Serializable } from 'node:child_process';
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const startMs = 120_000;
const stopMs = 15_000;

export interface Child<Answer> {
  /** Resolves when it has ended, with its exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  /** Resolves with the next message. */
  readonly answer: () => Promise<Answer>;
  readonly ask: (question: Serializable) => Promise<Answer>;
  /** Sends `last`, if given, and waits for the exit; kills the child when that takes too long. */
  readonly stop: (last?: Serializable) => Promise<void>;
  /** Kills the child as a crash does, and waits for its exit. */
  readonly kill: () => Promise<void>;
}

export interface ChildOptions {
  /** Folder for a CPU profile of the child's life, or null. */
  readonly profile?: string | null;
  /** Added to the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where it runs, and from where its packages are loaded. Default: where this process runs. */
  readonly cwd?: string;
  /** Flags of Node. */
  readonly flags?: readonly string[];
}

/** @param module relative to this file, or a URL. A `.mjs` file is built and runs without tsx. */
export function startChild<Answer>(
  module: string,
  args: readonly string[],
  { profile = null, env = {}, cwd, flags = [] }: ChildOptions = {},
): Child<Answer> {
  const profiling = profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), args, {
    execArgv: [...(module.endsWith('.mjs') ? [] : ['--import', 'tsx']), ...flags, ...profiling],
    // Nothing but the result belongs on our stdout.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
    cwd,
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const answer = () => nextMessage<Answer>(child, module);
  return {
    ended,
    answer,
    ask: (question) => {
      const next = answer();
      child.send(question);
      return next;
    },
    stop: async (last) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      if (last !== undefined) child.send(last);
      else child.disconnect();
      const impatient = setTimeout(() => child.kill('SIGKILL'), stopMs);
      await ended;
      clearTimeout(impatient);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function nextMessage<Answer>(child: ChildProcess, module: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => () => settle(() => reject(new Error(`${module} ${what}`)));
    const tooLate = setTimeout(fail('does not answer'), startMs);
    const onEnd = fail('ended before it answered');
    const settle = (how: () => void) => {
      clearTimeout(tooLate);
      child.off('exit', onEnd);
      how();
    };
    child.once('exit', onEnd);
    // Both sides of the channel are ours: a message has the type that its module states.
    child.once('message', (message) => settle(() => resolve(message as Answer)));
  });
}
