/** `longhand steer`, `pause`, `resume`, `limit` and `cancel`: what somebody says to a chain as a whole. */

import type { CancelReceipt } from '../../client/commands/cancel.js';
import { RefusedError } from '../../client/errors/errors.js';
import type { ChainHandle } from '../../client/handle.js';
import { runningIn } from '../../client/read/waiting-below.js';
import { breakpointText } from '../../core/approvals/hold.js';
import type { Chain } from '../../core/model/chain.js';
import type { Breakpoint, Permissions } from '../../core/model/direction.js';
import { raisedText } from '../../core/model/limits.js';
import type { State } from '../../core/model/state.js';
import { belowText } from '../../core/view/sub-chain-text.js';
import { parseLimits } from '../flags/limits.js';
import { amount, wholeNumber } from '../flags/numbers.js';
import { UsageError } from '../flags/usage-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { type NamedSpeaker, type SpeakerFlags, speakerOf } from './speaker.js';
import { type Said, tellReceipt } from './tell-receipt.js';
import { withChain } from './with-chain.js';
import { withRole } from './with-role.js';

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
  return say(
    terminal,
    named,
    flags,
    { done: 'Said to the agent, for its next step', wish: 'a message to the agent', needs: 'steer' },
    (chain, by) => chain.steer(text, by),
  );
}

export function pause(terminal: Terminal, named: string, flags: PauseFlags): Promise<number> {
  const at = breakpointIn(flags);
  const what =
    at === undefined
      ? {
          done: 'Paused, once what is under way is done and what waits is decided',
          wish: 'pause',
          needs: 'pause' as const,
        }
      : {
          done: `Breakpoint set ${breakpointText(at)}`,
          wish: `a breakpoint ${breakpointText(at)}`,
          needs: 'pause' as const,
        };
  return say(terminal, named, flags, what, (chain, by) => chain.pause({ ...by, at }));
}

export function resume(terminal: Terminal, named: string, flags: SteerFlags): Promise<number> {
  return say(terminal, named, flags, { done: 'Resumed', wish: 'resume', needs: 'pause' }, (chain, by) =>
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
  return say(
    terminal,
    named,
    flags,
    { done: `Limits raised to ${raisedText(limits)}`, wish: `raise limits to ${raisedText(limits)}`, needs: 'limit' },
    (chain, by) => chain.limit(limits, by),
  );
}

export function cancel(terminal: Terminal, named: string, flags: CancelFlags): Promise<number> {
  const { summarize, now } = flags;
  if (summarize && now)
    throw new UsageError('--now waits for nothing any more, and so for no summing-up: leave one out.');
  const told = now ? { done: 'Cancelled, at once', wish: 'cancel at once' } : { done: 'Cancelled', wish: 'cancel' };
  const what: What = { ...told, done: ({ state }) => told.done + withThoseBelow(state), needs: 'cancel' };
  return say(terminal, named, flags, what, async (chain, by) => {
    const first = await chain.cancel({ ...by, summarize });
    // The second does not wait for what the first has told to stop.
    if (now) await chain.cancel(by);
    return first;
  });
}

/** A tree ends with its root. */
function withThoseBelow(state: State): string {
  const running = runningIn(state).length;
  return running === 0 ? '' : `, with ${belowText(running)} and all below`;
}

interface What extends Pick<Said, 'wish'> {
  /** What was done; told of the chain as it was before. */
  readonly done: string | ((chain: Chain) => string);
  /** What somebody must be permitted to. */
  readonly needs: keyof Permissions;
}

async function say(
  terminal: Terminal,
  named: string,
  flags: SteerFlags,
  { needs, ...what }: What,
  tell: (chain: ChainHandle, by: NamedSpeaker) => Promise<CancelReceipt>,
): Promise<number> {
  return withChain(named, async (chain) => {
    const speaker = speakerOf(flags);
    const done = typeof what.done === 'string' ? what.done : what.done((await chain.describe()).chain);
    const receipt = await tell(chain, speaker).catch(async (error: unknown) => {
      throw error instanceof RefusedError ? await permitted(error, chain, needs, speaker) : error;
    });
    return tellReceipt(terminal, { chainId: chain.chainId, call: null, ...what, done, json: flags.json }, receipt);
  });
}

/** Where the agent permits it to certain roles only, which. */
async function permitted(
  error: RefusedError,
  chain: ChainHandle,
  needs: keyof Permissions,
  speaker: NamedSpeaker,
): Promise<RefusedError> {
  if (error.why === 'ended') return error;
  const { agent } = (await chain.describe()).chain.state;
  return withRole(error, agent?.permissions[needs] ?? [], speaker);
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
