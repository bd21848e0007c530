/** `longhand reply`: continues the conversation of a chain that has ended, with a new chain. */

import { type ChainHandle, ChainRunningError, InvalidInputError } from '../../client/index.js';
import { LonghandError } from '../../core/lib/index.js';
import { resolveThreadChain } from '../access/find-chain.js';
import { connectWithStore } from '../access/open.js';
import { type StartFlags, toStartOptions } from '../flags/start-flags.js';
import { UsageError } from '../flags/usage-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { printOrFollow, validateTask } from './start.js';

export interface ReplyFlags extends StartFlags {
  readonly wait?: boolean;
}

export async function replyToChain(
  terminal: Terminal,
  reference: string,
  text: string,
  flags: ReplyFlags,
): Promise<number> {
  validateTask(text);
  const { limits, ...options } = toStartOptions(flags);
  const longhand = await connectWithStore({ taskQueue: flags.taskQueue });
  try {
    const from = longhand.getHandle(await resolveThreadChain(longhand, reference));
    const chain = await startReply(() => from.followUp(text, { ...options, limits }));
    return await printOrFollow(terminal, longhand, chain, flags);
  } finally {
    await longhand.close();
  }
}

/**
 * Starts the next chain of a conversation, and names the commands for one that still runs. Unlike `start`, it advises no
 * other id: mostly no person chose one.
 *
 * @throws {UsageError} for input that the client rejects
 */
export async function startReply(start: () => Promise<ChainHandle>): Promise<ChainHandle> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof InvalidInputError) throw new UsageError(error.message, { cause: error });
    if (!(error instanceof ChainRunningError)) throw error;
    const { chainId, code, message } = error;
    const commands = `longhand steer ${chainId} "…", longhand chain watch ${chainId}`;
    throw new LonghandError(code, `${message} Commands: ${commands}.`, { cause: error });
  }
}
