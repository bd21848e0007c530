/**
 * Handles requests to people while a command follows a chain: prompts at the terminal, or prints one line with the command
 * that decides. Following from the start repeats old requests, so only those that are still open are handled.
 */

import type { ChainEvent } from '../../client/follow/follow.js';
import type { ChainHandle } from '../../client/handle.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import type { ChildStatus } from '../../core/view/child-status.js';
import { createViewer } from '../../core/view/visibility.js';
import { readAhead } from '../terminal/read-ahead.js';
import type { Terminal } from '../terminal/terminal.js';
import { fitPrompts } from '../terminal/terminal.js';
import { speakerOf } from './decision.js';
import { waitingText } from './request-text.js';
import { viewRequest } from './request-view.js';

/** `ask` needs a terminal. */
export type Manner = 'ask' | 'tell';

export interface Following {
  readonly chain: ChainHandle;
  /** Returns the handle of a sub-chain. */
  readonly chainOf: (chainId: string) => ChainHandle;
  readonly manner: Manner;
  readonly terminal: Pick<Terminal, 'write' | 'color' | 'width' | 'say'>;
}

/**
 * Yields the same events. After one that asks a person, the next is yielded once the request is handled; a decision from
 * elsewhere ends the prompt.
 */
export async function* withPeople(
  events: AsyncGenerator<ChainEvent, void>,
  following: Following,
): AsyncGenerator<ChainEvent, void> {
  const open = new Map<string, AbortController>();
  const below = new WaitingBelow();
  const notice = (event: ChainEvent) => {
    below.notice(event);
    if (event.type === 'request-opened') open.set(event.call, new AbortController());
    for (const call of overBy(event, [...open.keys()])) open.get(call)?.abort(whyOver(event));
  };
  for await (const event of readAhead(events, notice)) {
    yield event;
    if (event.type === 'child') await below.deal(following, event.child);
    if (event.provisional) continue;
    if (event.type === 'notice-added' && event.notice.kind === 'paused') await tellPaused(following);
    const asked = event.type === 'request-opened' ? open.get(event.call) : undefined;
    if (event.type === 'request-opened' && asked !== undefined) await deal(following, event.call, asked.signal);
  }
}

/** Requests of sub-chains, handled as those of the chain itself, each of them once. */
class WaitingBelow {
  private readonly waits = new Map<string, AbortController>();
  private readonly dealt = new Set<string>();

  notice(event: ChainEvent): void {
    if (event.type === 'child') {
      const { chainId, requests } = event.child;
      if (requests === 0) this.over(chainId, 'Decided elsewhere.');
      else if (!this.waits.has(chainId)) this.waits.set(chainId, new AbortController());
    }
    if (event.type === 'sub-chain-ended') this.over(event.chainId, 'Nothing was decided: the sub-chain has ended.');
    if (event.type === 'ended') for (const chainId of [...this.waits.keys()]) this.over(chainId, whyOver(event));
  }

  async deal({ chainOf, ...following }: Following, { chainId, agent }: ChildStatus): Promise<void> {
    const signal = this.waits.get(chainId)?.signal;
    if (signal === undefined) return;
    const chain = chainOf(chainId);
    for (const { call, askedAt, digest } of await chain.listRequests()) {
      const key = `${chainId} ${call} ${askedAt} ${digest}`;
      if (this.dealt.has(key)) continue;
      this.dealt.add(key);
      await deal({ ...following, chain }, call, signal, [`${toOneLine(agent)} · ${toOneLine(chainId)}`]);
    }
  }

  private over(chainId: string, why: string): void {
    this.waits.get(chainId)?.abort(why);
    this.waits.delete(chainId);
  }
}

function overBy(event: ChainEvent, open: readonly string[]): readonly string[] {
  if (event.provisional) return [];
  if (event.type === 'ended') return open;
  if (event.type === 'call-completed') return [event.result.call];
  return event.type === 'request-decided' && !event.decision.partly ? [event.call] : [];
}

/** In a sentence, for the person at the prompt. */
function whyOver(event: ChainEvent): string {
  if (event.type === 'request-decided')
    return event.decision.kind === 'expired' ? 'Its time ran out.' : 'Decided elsewhere.';
  return 'Nothing was decided: the chain has ended.';
}

/** Repeats until it is decided: a vote leaves the request open, and a refused decision can be corrected. */
async function deal(
  { chain, manner, terminal }: Omit<Following, 'chainOf'>,
  call: string,
  signal: AbortSignal,
  about: readonly string[] = [],
): Promise<void> {
  if (manner === 'ask') fitPrompts(terminal);
  const find = async () => (await chain.listRequests()).find((request) => request.call === call);
  let request = signal.aborted ? undefined : await find();
  while (request !== undefined && manner === 'ask') {
    const seen = viewRequest(request, await chain.view(createViewer('developer')));
    const { decideAtTerminal } = await import('./decide-at-terminal.js');
    const prompted = await decideAtTerminal(terminal, chain, seen, { about, speaker: speakerOf({ role: [] }), signal });
    if (signal.aborted && prompted === 'left') {
      terminal.write(`\n${signal.reason}\n`);
      return;
    }
    if (prompted === 'submitted') return;
    request = await find();
    if (prompted === 'left') break;
  }
  if (request !== undefined) terminal.say(waitingText(chain.chainId, request));
}

async function tellPaused({ chain, terminal }: Following): Promise<void> {
  const { chain: read, status } = await chain.describe();
  if (status === 'running' && read.state.paused !== null) {
    terminal.say(`Paused. It goes on with: longhand resume ${chain.chainId}`);
  }
}
