/** `longhand chain fork`: a new chain that goes on from a step of another, on the server or in a file. */

import { connect } from '../../client/connect.js';
import { ForkError } from '../../client/errors.js';
import { afterStart } from '../after-start.js';
import { parseLimits } from '../limits.js';
import { startNamed } from '../start-named.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { findRecorded } from './find.js';
import { wholeNumber } from './numbers.js';

export interface ForkFlags {
  readonly atStep?: string;
  readonly steer?: string;
  readonly model?: string;
  readonly limit: readonly string[];
  readonly id?: string;
  readonly tenant?: string;
  readonly user?: string;
  readonly taskQueue?: string;
  readonly wait?: boolean;
  readonly json?: boolean;
}

export async function fork(terminal: Terminal, named: string, flags: ForkFlags): Promise<number> {
  const atStep = flags.atStep === undefined ? undefined : wholeNumber('--at-step', flags.atStep);
  const limits = parseLimits(flags.limit);
  const longhand = await connect({ taskQueue: flags.taskQueue });
  try {
    const from = await findRecorded(named, async () => longhand);
    const { steer: message, model, id: chainId, tenant, user } = flags;
    const chain = await startNamed(() =>
      longhand.fork(from, { atStep, message, model, limits, chainId, tenant, user }).catch(withFlag),
    );
    return await afterStart(terminal, chain, flags);
  } finally {
    await longhand.close();
  }
}

function withFlag(error: unknown): never {
  if (!(error instanceof ForkError)) throw error;
  throw new UsageError(error.message.replace(/\b(say) what to go on with/i, '$1 with --steer what to go on with'));
}
