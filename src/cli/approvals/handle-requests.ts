/**
 * Handles requests to people while a command follows a chain: prompts at the terminal, or prints one line with the command
 * that decides. Following from the start repeats old requests, so only those that are still open are handled.
 */

import type { FollowEvent } from '../../client/follow/event.js';
import type { ChainHandle } from '../../client/handle.js';
import { viewRequest } from '../../client/list/request-view.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import type { ChildStatus } from '../../core/view/child-status.js';
import { createViewer } from '../../core/view/visibility.js';
import { readAhead } from '../terminal/read-ahead.js';
import type { Terminal } from '../terminal/terminal.js';
import { preparePrompts } from '../terminal/terminal.js';
import { toSender } from './decision.js';
import { formatWaitingRequest } from './format-request.js';

/** `prompt` needs a terminal. */
export type RequestHandling = 'prompt' | 'print';

export interface FollowContext {
  readonly chain: ChainHandle;
  /** Returns the handle of a sub-chain. */
  readonly getChain: (chainId: string) => ChainHandle;
  readonly requestHandling: RequestHandling;
  readonly terminal: Pick<Terminal, 'write' | 'color' | 'width' | 'report'>;
}

interface RequestContext extends FollowContext {
  /** Prompts so far. Each after the first waits for a key. */
  readonly prompts: { count: number };
}

/**
 * Yields the events unchanged. After the event of a request, the next one follows once the request is handled; a decision
 * made elsewhere ends the prompt.
 */
export async function* handleRequests(
  events: AsyncGenerator<FollowEvent, void>,
  following: FollowContext,
): AsyncGenerator<FollowEvent, void> {
  const open = new Map<string, AbortController>();
  const below = new SubChainRequests();
  const context: RequestContext = { ...following, prompts: { count: 0 } };
  const notice = (event: FollowEvent) => {
    below.observe(event);
    if (event.type === 'request-opened') open.set(event.call, new AbortController());
    for (const call of listClosedCalls(event, [...open.keys()])) open.get(call)?.abort(explainClosing(event));
  };
  for await (const event of readAhead(events, notice)) {
    yield event;
    if (event.type === 'sub-chain-changed') await below.handle(context, event.child);
    if (event.provisional) continue;
    if (event.type === 'notice-added' && event.notice.code === 'paused') await printPaused(following);
    const asked = event.type === 'request-opened' ? open.get(event.call) : undefined;
    if (event.type === 'request-opened' && asked !== undefined) await handleRequest(context, event.call, asked.signal);
  }
}

/** Handles the requests of sub-chains like those of the chain itself, each once. */
class SubChainRequests {
  private readonly openRequests = new Map<string, AbortController>();
  private readonly handledKeys = new Set<string>();

  observe(event: FollowEvent): void {
    if (event.type === 'sub-chain-changed') {
      const { chainId, requests } = event.child;
      if (requests === 0) this.close(chainId, 'Decided elsewhere.');
      else if (!this.openRequests.has(chainId)) this.openRequests.set(chainId, new AbortController());
    }
    if (event.type === 'sub-chain-ended') this.close(event.chainId, 'Nothing was decided: the sub-chain has ended.');
    if (event.type === 'chain-ended')
      for (const chainId of [...this.openRequests.keys()]) this.close(chainId, explainClosing(event));
  }

  async handle({ getChain, ...following }: RequestContext, { chainId, agent }: ChildStatus): Promise<void> {
    const signal = this.openRequests.get(chainId)?.signal;
    if (signal === undefined) return;
    const chain = getChain(chainId);
    for (const { call, askedAt, digest } of await chain.listRequests()) {
      const key = `${chainId} ${call} ${askedAt} ${digest}`;
      if (this.handledKeys.has(key)) continue;
      this.handledKeys.add(key);
      await handleRequest({ ...following, chain }, call, signal, [`${toOneLine(agent)} · ${toOneLine(chainId)}`]);
    }
  }

  private close(chainId: string, why: string): void {
    this.openRequests.get(chainId)?.abort(why);
    this.openRequests.delete(chainId);
  }
}

function listClosedCalls(event: FollowEvent, open: readonly string[]): readonly string[] {
  if (event.provisional) return [];
  if (event.type === 'chain-ended') return open;
  if (event.type === 'call-completed') return [event.result.call];
  return event.type === 'request-decided' && !event.decision.partly ? [event.call] : [];
}

/** Explains to the person at the prompt why it closes. */
function explainClosing(event: FollowEvent): string {
  if (event.type === 'request-decided')
    return event.decision.kind === 'expired' ? 'The request expired.' : 'Decided elsewhere.';
  return 'Nothing was decided: the chain has ended.';
}

/** Prompts until the request is decided: a vote leaves it open, and a rejected decision can be corrected. */
async function handleRequest(
  { chain, requestHandling, terminal, prompts }: Omit<RequestContext, 'getChain'>,
  call: string,
  signal: AbortSignal,
  about: readonly string[] = [],
): Promise<void> {
  if (requestHandling === 'prompt') preparePrompts(terminal);
  const find = async () => (await chain.listRequests()).find((request) => request.call === call);
  let request = signal.aborted ? undefined : await find();
  while (request !== undefined && requestHandling === 'prompt') {
    const seen = viewRequest(request, await chain.view(createViewer('developer')));
    const { decideAtTerminal } = await import('./decide-at-terminal.js');
    const waitsForKey = prompts.count > 0;
    prompts.count += 1;
    const options = { about, sender: toSender({ role: [] }), signal, waitsForKey };
    const prompted = await decideAtTerminal(terminal, chain, seen, options);
    if (signal.aborted && prompted === 'left') {
      terminal.write(`\n${signal.reason}\n`);
      return;
    }
    if (prompted === 'submitted') return;
    request = await find();
    if (prompted === 'left') break;
  }
  if (request !== undefined) terminal.report(formatWaitingRequest(chain.chainId, request));
}

async function printPaused({ chain, terminal }: FollowContext): Promise<void> {
  const { chain: read, status } = await chain.describe();
  if (status === 'running' && read.state.paused !== null) {
    terminal.report(`Paused. To resume: longhand resume ${chain.chainId}`);
  }
}
