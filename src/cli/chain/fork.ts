/** `longhand chain fork`: a new chain that goes on from a step of another, on the server or in a file. */

import { connect } from '../../client/connect.js';
import { ForkError } from '../../client/errors/errors.js';
import { findRecorded } from '../access/find.js';
import { type StartFlags, startOptions } from '../flags/start-flags.js';
import { UsageError } from '../flags/usage-error.js';
import { wholeNumber } from '../flags/values.js';
import { afterStart, startNamed } from '../run/start.js';
import type { Terminal } from '../terminal/terminal.js';

export interface ForkFlags extends StartFlags {
  readonly atStep?: string;
  readonly steer?: string;
  readonly wait?: boolean;
}

export async function fork(terminal: Terminal, named: string, flags: ForkFlags): Promise<number> {
  const atStep = flags.atStep === undefined ? undefined : wholeNumber('--at-step', flags.atStep);
  const options = startOptions(flags);
  const longhand = await connect({ taskQueue: flags.taskQueue });
  try {
    const from = await findRecorded(named, async () => longhand);
    const { steer: message, model } = flags;
    const chain = await startNamed(() => longhand.fork(from, { ...options, atStep, message, model }).catch(withFlag));
    return await afterStart(terminal, longhand, chain, flags);
  } finally {
    await longhand.close();
  }
}

function withFlag(error: unknown): never {
  if (!(error instanceof ForkError)) throw error;
  throw new UsageError(error.message.replace(/\b(say) what to go on with/i, '$1 with --steer what to go on with'));
}
