/** `longhand chain fork`: starts a chain with the first steps of another, which is on the server or in a file. */

import { ForkError } from '../../client/index.js';
import { findRecordedChain } from '../access/find-chain.js';
import { connectWithStore } from '../access/open.js';
import { type StartFlags, toStartOptions } from '../flags/start-flags.js';
import { UsageError } from '../flags/usage-error.js';
import { parseWholeNumber } from '../flags/values.js';
import { printOrFollow, startWithUsageErrors } from '../run/start.js';
import type { Terminal } from '../terminal/terminal.js';

export interface ForkFlags extends StartFlags {
  readonly atStep?: string;
  readonly steer?: string;
  readonly wait?: boolean;
}

export async function forkChain(terminal: Terminal, reference: string, flags: ForkFlags): Promise<number> {
  const atStep = flags.atStep === undefined ? undefined : parseWholeNumber('--at-step', flags.atStep);
  const options = toStartOptions(flags);
  const longhand = await connectWithStore({ taskQueue: flags.taskQueue });
  try {
    const from = await findRecordedChain(reference, async () => longhand);
    const { steer: message } = flags;
    const chain = await startWithUsageErrors(() =>
      longhand.fork(from, { ...options, atStep, message }).catch(throwWithFlag),
    );
    return await printOrFollow(terminal, longhand, chain, flags);
  } finally {
    await longhand.close();
  }
}

function throwWithFlag(error: unknown): never {
  if (!(error instanceof ForkError)) throw error;
  throw new UsageError(
    error.code === 'fork_needs_message'
      ? `${error.message} Write --steer "…" for the message, --at-step for the step.`
      : error.message,
  );
}
