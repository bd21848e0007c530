/** `longhand steer`, `pause`, `resume`, `limit` and `cancel`: commands to a chain as a whole. */

import type { CancelReceipt } from '../../client/commands/chain-commands.js';
import { CommandRejectedError } from '../../client/errors/errors.js';
import type { ChainHandle } from '../../client/handle.js';
import { listRunningSubChainIds } from '../../client/read/open-requests.js';
import { formatBreakpoint } from '../../core/approvals/pause.js';
import type { Chain } from '../../core/model/chain.js';
import type { Breakpoint, CommandPermissions } from '../../core/model/command.js';
import { describeRaisedLimits } from '../../core/model/limits.js';
import type { ChainState } from '../../core/model/state.js';
import { formatSubChainCount } from '../../core/view/sub-chain.js';
import { parseLimits } from '../flags/limits.js';
import { UsageError } from '../flags/usage-error.js';
import { amount, wholeNumber } from '../flags/values.js';
import type { Terminal } from '../terminal/terminal.js';
import { type NamedSpeaker, type SpeakerFlags, speakerOf } from './decision.js';
import { withChain } from './resolve-target.js';
import { type Report, withRoleHint, writeReceipt } from './submit.js';

export interface SteerFlags extends SpeakerFlags {
  readonly json?: boolean;
}

export interface PauseFlags extends SteerFlags {
  readonly atStep?: string;
  readonly atCost?: string;
  readonly before?: string;
}

export interface LimitFlags extends SteerFlags {
  readonly limit: readonly string[];
}

export interface CancelFlags extends SteerFlags {
  readonly summarize?: boolean;
  readonly now?: boolean;
}

export function steer(terminal: Terminal, named: string, text: string, flags: SteerFlags): Promise<number> {
  if (text.trim() === '') throw new UsageError('The message is empty: say what the agent should know.');
  return send(
    terminal,
    named,
    flags,
    { done: 'Said to the agent, for its next step', wish: 'a message to the agent', needs: 'steer' },
    (chain, by) => chain.steer(text, by),
  );
}

export function pause(terminal: Terminal, named: string, flags: PauseFlags): Promise<number> {
  const at = breakpointIn(flags);
  const text =
    at === undefined
      ? { done: 'Paused, once what is under way is done and what waits is decided', wish: 'pause' }
      : { done: `Breakpoint set ${formatBreakpoint(at)}`, wish: `a breakpoint ${formatBreakpoint(at)}` };
  return send(terminal, named, flags, { ...text, needs: 'pause' }, (chain, by) => chain.pause({ ...by, at }));
}

export function resume(terminal: Terminal, named: string, flags: SteerFlags): Promise<number> {
  return send(terminal, named, flags, { done: 'Resumed', wish: 'resume', needs: 'pause' }, (chain, by) =>
    chain.resume(by),
  );
}

/** @param written `steps=20`, as `start --limit` takes it */
export function limit(
  terminal: Terminal,
  named: string,
  written: readonly string[],
  flags: LimitFlags,
): Promise<number> {
  const limits = parseLimits([...written, ...flags.limit]);
  if (Object.keys(limits).length === 0) {
    throw new UsageError('No limit is named. Write steps=20, tokens=200000, cost=2 (US dollars), time=1h or stall=5.');
  }
  return send(
    terminal,
    named,
    flags,
    {
      done: `Limits raised to ${describeRaisedLimits(limits)}`,
      wish: `raise limits to ${describeRaisedLimits(limits)}`,
      needs: 'limit',
    },
    (chain, by) => chain.raiseLimits(limits, by),
  );
}

export function cancel(terminal: Terminal, named: string, flags: CancelFlags): Promise<number> {
  const { summarize, now } = flags;
  if (summarize && now) throw new UsageError('--now and --summarize cannot be combined.');
  const text = now ? { done: 'Cancelled, at once', wish: 'cancel at once' } : { done: 'Cancelled', wish: 'cancel' };
  const command: Command = { ...text, done: ({ state }) => text.done + subChainsText(state), needs: 'cancel' };
  return send(terminal, named, flags, command, async (chain, by) => {
    const first = await chain.cancel({ ...by, summarize });
    // The second cancel does not wait for what the first has asked to stop.
    if (now) await chain.cancel(by);
    return first;
  });
}

/** A tree ends with its root. */
function subChainsText(state: ChainState): string {
  const running = listRunningSubChainIds(state).length;
  return running === 0 ? '' : `, with ${formatSubChainCount(running)} and all below`;
}

interface Command extends Pick<Report, 'wish'> {
  /** What was done; where it depends on the chain, on the chain before it. */
  readonly done: string | ((chain: Chain) => string);
  /** The permission that it needs. */
  readonly needs: keyof CommandPermissions;
}

async function send(
  terminal: Terminal,
  named: string,
  flags: SteerFlags,
  { needs, ...command }: Command,
  request: (chain: ChainHandle, by: NamedSpeaker) => Promise<CancelReceipt>,
): Promise<number> {
  return withChain(named, async (chain) => {
    const speaker = speakerOf(flags);
    const done = typeof command.done === 'string' ? command.done : command.done((await chain.describe()).chain);
    const receipt = await request(chain, speaker).catch(async (error: unknown) => {
      throw error instanceof CommandRejectedError ? await withPermissionHint(error, chain, needs, speaker) : error;
    });
    return writeReceipt(terminal, { chainId: chain.chainId, call: null, ...command, done, json: flags.json }, receipt);
  });
}

/** Names the roles that the agent permits the command to. */
async function withPermissionHint(
  error: CommandRejectedError,
  chain: ChainHandle,
  needs: keyof CommandPermissions,
  speaker: NamedSpeaker,
): Promise<CommandRejectedError> {
  if (error.why === 'ended') return error;
  const { agent } = (await chain.describe()).chain.state;
  return withRoleHint(error, agent?.permissions[needs] ?? [], speaker);
}

function breakpointIn({ atStep, atCost, before }: PauseFlags): Breakpoint | undefined {
  const set: readonly Breakpoint[] = [
    ...(atStep === undefined ? [] : [{ step: wholeNumber('--at-step', atStep) }]),
    ...(atCost === undefined ? [] : [{ costUsd: amount('--at-cost', atCost) }]),
    ...(before === undefined ? [] : [{ tool: before }]),
  ];
  if (set.length > 1) throw new UsageError('One breakpoint at a time: --at-step, --at-cost or --before.');
  return set[0];
}
