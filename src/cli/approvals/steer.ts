/** `longhand steer`, `pause`, `limit` and `cancel`: commands to a chain. */

import {
  type CancelReceipt,
  type ChainHandle,
  CommandRejectedError,
  listRunningSubChainIds,
} from '../../client/index.js';
import { formatBreakpoint } from '../../core/engine/index.js';
import { toOneLine } from '../../core/lib/index.js';
import {
  type Breakpoint,
  type Chain,
  type ChainState,
  type CommandPermissions,
  describeRaisedLimits,
} from '../../core/model/index.js';
import { formatSubChainCount } from '../../core/view/index.js';
import { toStoredLimits } from '../../options/index.js';
import { parseLimits } from '../flags/limits.js';
import { UsageError } from '../flags/usage-error.js';
import { parseAmount, parseWholeNumber } from '../flags/values.js';
import type { Terminal } from '../terminal/terminal.js';
import { type IdentifiedSender, type SenderFlags, toSender } from './decision.js';
import { withChain } from './resolve-target.js';
import { addRoleHint, type CommandReport, writeReceipt } from './submit.js';

export interface PauseFlags extends SenderFlags {
  readonly atStep?: string;
  readonly atCost?: string;
  readonly before?: string;
}

export interface LimitFlags extends SenderFlags {
  readonly limit: readonly string[];
}

export interface CancelFlags extends SenderFlags {
  readonly summarize?: boolean;
  readonly now?: boolean;
}

export function steer(terminal: Terminal, idOrName: string, text: string, flags: SenderFlags): Promise<number> {
  if (text.trim() === '') throw new UsageError('The message is empty. Write the text that the agent should see.');
  return submitCommand(
    terminal,
    idOrName,
    flags,
    { doneText: 'Sent to the agent, for its next step', pendingText: 'a message to the agent', permission: 'steer' },
    (chain, by) => chain.steer(text, by),
  );
}

export function pause(terminal: Terminal, idOrName: string, flags: PauseFlags): Promise<number> {
  const at = parseBreakpoint(flags);
  const text =
    at === undefined
      ? { doneText: 'Paused as soon as running calls and open requests are settled', pendingText: 'pause' }
      : { doneText: `Breakpoint set ${formatBreakpoint(at)}`, pendingText: `a breakpoint ${formatBreakpoint(at)}` };
  return submitCommand(terminal, idOrName, flags, { ...text, permission: 'pause' }, (chain, by) =>
    chain.pause({ ...by, at }),
  );
}

/** @param words `steps=20`, in the form of `start --limit` */
export function raiseLimits(
  terminal: Terminal,
  idOrName: string,
  words: readonly string[],
  flags: LimitFlags,
): Promise<number> {
  const limits = parseLimits([...words, ...flags.limit]);
  if (Object.keys(limits).length === 0) {
    throw new UsageError(
      'The limit is missing. Write steps=20, tokens=200000, cost=2 (US dollars), time=1h, stall=5, depth=3, chains=20 or wait=2d.',
    );
  }
  const described = describeRaisedLimits(toStoredLimits(limits));
  return submitCommand(
    terminal,
    idOrName,
    flags,
    {
      doneText: `Limits raised to ${described}`,
      pendingText: `raise limits to ${described}`,
      permission: 'limit',
    },
    (chain, by) => chain.raiseLimits(limits, by),
  );
}

export function cancel(terminal: Terminal, idOrName: string, flags: CancelFlags): Promise<number> {
  const { summarize, now } = flags;
  if (summarize && now) throw new UsageError('--now and --summarize cannot be combined.');
  const text = now
    ? { doneText: 'Cancelled, at once', pendingText: 'cancel at once' }
    : { doneText: 'Cancelled', pendingText: 'cancel' };
  const command: CommandSpec = {
    ...text,
    doneText: ({ state }) => text.doneText + formatSubChains(state),
    permission: 'cancel',
  };
  return submitCommand(terminal, idOrName, flags, command, async (chain, by) => {
    const first = await chain.cancel({ ...by, summarize });
    // The second cancel does not wait for the calls that the first is stopping.
    if (now) await chain.cancel(by);
    return first;
  });
}

/** Running sub-chains, which end with their root. */
function formatSubChains(state: ChainState): string {
  const running = listRunningSubChainIds(state).length;
  return running === 0 ? '' : `, with ${formatSubChainCount(running)} and all below`;
}

interface CommandSpec extends Pick<CommandReport, 'pendingText'> {
  /** The result as text; a function gets the chain as it was before the command. */
  readonly doneText: string | ((chain: Chain) => string);
  /** The required permission. */
  readonly permission: keyof CommandPermissions;
  /** Another line, from the chain as it is once a worker has taken the command; null for none. */
  readonly describeEffect?: (chain: ChainHandle) => Promise<string | null>;
}

export async function submitCommand(
  terminal: Terminal,
  idOrName: string,
  flags: SenderFlags,
  { permission, describeEffect, ...command }: CommandSpec,
  request: (chain: ChainHandle, by: IdentifiedSender) => Promise<CancelReceipt>,
): Promise<number> {
  return withChain(idOrName, async (chain) => {
    const sender = toSender(flags);
    const done = typeof command.doneText === 'string' ? command.doneText : command.doneText(await chain.read());
    const receipt = await request(chain, sender).catch(async (error: unknown) => {
      throw error instanceof CommandRejectedError ? await addPermissionHint(error, chain, permission, sender) : error;
    });
    const code = writeReceipt(
      terminal,
      { chainId: chain.chainId, call: null, ...command, doneText: done, json: flags.json },
      receipt,
    );
    const effect = receipt.status === 'accepted' && !flags.json ? await describeEffect?.(chain) : null;
    if (effect) terminal.write(`  ${toOneLine(effect)}\n`);
    return code;
  });
}

/** Adds the roles to which the agent permits the command. */
async function addPermissionHint(
  error: CommandRejectedError,
  chain: ChainHandle,
  needs: keyof CommandPermissions,
  sender: IdentifiedSender,
): Promise<CommandRejectedError> {
  if (error.rejection === 'chain_ended') return error;
  const { agent } = (await chain.read()).state;
  return addRoleHint(error, agent?.permissions[needs] ?? [], sender);
}

function parseBreakpoint({ atStep, atCost, before }: PauseFlags): Breakpoint | undefined {
  const set: readonly Breakpoint[] = [
    ...(atStep === undefined ? [] : [{ step: parseWholeNumber('--at-step', atStep) }]),
    ...(atCost === undefined ? [] : [{ costUsd: parseAmount('--at-cost', atCost) }]),
    ...(before === undefined ? [] : [{ tool: before }]),
  ];
  if (set.length > 1)
    throw new UsageError('--at-step, --at-cost and --before cannot be combined. Set one breakpoint at a time.');
  return set[0];
}
