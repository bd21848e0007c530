/**
 * `longhand resume`: resumes a chain, or all that the provider, the store or the workers hold, once the cause is repaired;
 * or ends the wait of a call.
 */

import {
  ChainNotFoundError,
  CommandRejectedError,
  type Longhand,
  listHeldChainIds,
  mapAll,
} from '../../client/index.js';
import { findHolder, type Holder, holders } from '../../core/engine/index.js';
import type { Chain } from '../../core/model/index.js';
import { withReachableServer } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { type SenderFlags, toSender } from './decision.js';
import { submitCommand } from './steer.js';

export interface ResumeFlags extends SenderFlags {
  readonly all?: boolean;
  readonly heldBy?: string;
  readonly agent?: string;
  readonly tenant?: string;
}

type Resumed =
  /** `sent`: no worker has accepted the command yet. `not_waiting`: an attempt runs already, or the chain has ended. */
  | { readonly chainId: string; readonly status: 'resumed' | 'sent' | 'not_waiting' }
  | { readonly chainId: string; readonly status: 'rejected'; readonly message: string };

/** @returns the exit code: 1 if a chain rejected the command */
export function resume(
  terminal: Terminal,
  idOrName: string | undefined,
  call: string | undefined,
  flags: ResumeFlags,
): Promise<number> {
  if (idOrName !== undefined && (flags.all || flags.heldBy !== undefined)) {
    throw new UsageError('A chain and --all cannot be combined. Name one chain, or write --all --held-by provider.');
  }
  if (idOrName !== undefined) {
    const texts =
      call === undefined
        ? { doneText: formatDone, pendingText: 'resume' }
        : { doneText: `Ended the wait of call ${call}`, pendingText: `the end of the wait of call ${call}` };
    return submitCommand(terminal, idOrName, flags, { ...texts, permission: 'pause' }, (chain, by) =>
      chain.resume({ ...by, call }),
    );
  }
  if (!flags.all || flags.heldBy === undefined) {
    throw new UsageError(
      'The chain is missing. Name it, or write --all --held-by provider (or store, or worker) for all held chains.',
    );
  }
  const holder = holders.find((name) => name === flags.heldBy);
  if (holder === undefined) {
    const fix = 'Write --held-by provider, --held-by store or --held-by worker.';
    throw new UsageError(`Unknown holder ${JSON.stringify(flags.heldBy)}. ${fix}`);
  }
  return resumeHeldChains(terminal, holder, flags);
}

/** A held chain may be held again immediately: nobody knows yet whether the cause is repaired. */
function formatDone({ state }: Chain): string {
  return findHolder(state) === null ? 'Resumed' : 'Resumed: the chain tries again, and is held again if that fails';
}

async function resumeHeldChains(terminal: Terminal, holder: Holder, flags: ResumeFlags): Promise<number> {
  return withReachableServer(async (longhand) => {
    const chainIds = await listHeldChainIds(longhand.client, holder, flags);
    const results = await mapAll(chainIds, (chainId) => resumeHeld(longhand, chainId, flags));
    terminal.write(
      flags.json ? formatJson({ chains: results }) : results.map(formatResumed).join('') + formatCount(holder, results),
    );
    return results.some(({ status }) => status === 'rejected') ? 1 : 0;
  });
}

async function resumeHeld(longhand: Longhand, chainId: string, flags: SenderFlags): Promise<Resumed> {
  try {
    const { status } = await longhand.getHandle(chainId).resume(toSender(flags));
    return { chainId, status: status === 'accepted' ? 'resumed' : 'sent' };
  } catch (error) {
    // One chain that is gone must not keep the others from being resumed.
    if (error instanceof ChainNotFoundError) return { chainId, status: 'not_waiting' };
    if (!(error instanceof CommandRejectedError)) throw error;
    if (error.rejection === 'not_paused' || error.rejection === 'chain_ended')
      return { chainId, status: 'not_waiting' };
    return { chainId, status: 'rejected', message: error.message };
  }
}

function formatResumed(result: Resumed): string {
  switch (result.status) {
    case 'resumed':
      return `Resumed ${result.chainId}\n`;
    case 'sent':
      return `Sent to ${result.chainId}: no worker has accepted it yet\n`;
    case 'not_waiting':
      return `${result.chainId} no longer waits\n`;
    case 'rejected':
      return `${result.chainId}: ${result.message}\n`;
  }
}

function formatCount(holder: Holder, results: readonly Resumed[]): string {
  if (results.length === 0) return `No chain is held by its ${holder === 'worker' ? 'workers' : holder}.\n`;
  const resumed = results.filter(({ status }) => status === 'resumed').length;
  const sum = `${resumed} of ${results.length} held ${results.length === 1 ? 'chain' : 'chains'} resumed`;
  const subject = resumed === 1 ? 'it' : 'each';
  return resumed === 0 ? `${sum}.\n` : `${sum}: ${subject} tries again, and is held again if that fails.\n`;
}
