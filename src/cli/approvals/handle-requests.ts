/**
 * Handles requests to people while a command follows a chain: prompts at the terminal, or prints one line with the command
 * that decides. Following from the start repeats old requests, so only those that are still open are handled.
 */

import type { ChainHandle, WatchEvent } from '../../client/index.js';
import { formatAnswerCommand } from '../../core/engine/index.js';
import { toOneLine } from '../../core/lib/index.js';
import { type ChildStatus, createViewer, type StepView, toCallId, viewRequest } from '../../core/view/index.js';
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
  /** `pause` is called before each prompt. */
  readonly terminal: Pick<Terminal, 'write' | 'color' | 'width' | 'report'> & { readonly pause: () => void };
}

interface RequestContext extends FollowContext {
  /** Prompts so far. Each after the first waits for a key. */
  readonly prompts: { count: number };
  /** Keys of the requests that were handled: each is handled once. */
  readonly handled: Set<string>;
}

/**
 * Yields the events unchanged. After the turn of a request, the next event follows once the request is handled; a decision
 * made elsewhere ends the prompt.
 */
export async function* handleRequests(
  events: AsyncGenerator<WatchEvent, void>,
  following: FollowContext,
): AsyncGenerator<WatchEvent, void> {
  const open = new OpenRequests();
  const context: RequestContext = { ...following, prompts: { count: 0 }, handled: new Set() };
  let turn: StepView[] = [];
  for await (const event of readAhead(events, (item) => open.observe(item))) {
    yield event;
    if (event.type === 'sub-chain-changed') await handleChildRequests(context, open, event.child);
    if (event.type === 'step-changed') turn.push(event.step);
    if (event.type !== 'turn-completed') continue;
    if (turn.some(isPause)) await printPaused(following);
    for (const step of turn.filter(({ id }) => !context.handled.has(id))) {
      const signal = open.getSignal(step.id);
      if (signal === undefined) continue;
      context.handled.add(step.id);
      await handleRequest(context, toCallId(step), signal);
    }
    turn = [];
  }
}

function isPause(step: StepView): boolean {
  return step.level === 'full' && step.kind === 'notice' && /^(paused|limit_question)$/.test(step.notice);
}

/** Handles the requests of a sub-chain like those of the chain itself. */
async function handleChildRequests(
  { getChain, ...following }: RequestContext,
  open: OpenRequests,
  { chainId, agent }: ChildStatus,
): Promise<void> {
  const signal = open.getSignal(chainId);
  if (signal === undefined) return;
  const chain = getChain(chainId);
  for (const { call, askedAt, digest } of await chain.listRequests()) {
    const key = `${chainId} ${call} ${askedAt} ${digest}`;
    if (following.handled.has(key)) continue;
    following.handled.add(key);
    await handleRequest({ ...following, chain }, call, signal, [`${toOneLine(agent)} · ${toOneLine(chainId)}`]);
  }
}

const chainEnded = 'Nothing was decided: the chain has ended.';

/**
 * The open requests: those of the chain by the ids of their steps, those of a sub-chain together by its id. The signal of
 * one aborts when it closes, with the reason for the person at the prompt.
 */
class OpenRequests {
  private readonly controllers = new Map<string, AbortController>();

  getSignal(key: string): AbortSignal | undefined {
    return this.controllers.get(key)?.signal;
  }

  observe(event: WatchEvent): void {
    if (event.type === 'step-changed' && event.step.kind === 'approval') {
      const status = event.step.level === 'hidden' ? null : event.step.status;
      this.update(event.step.id, status === 'waiting', explainClosing(status));
    }
    if (event.type === 'sub-chain-changed') {
      const { chainId, requests, outcome } = event.child;
      const why = outcome === null ? 'Decided elsewhere.' : 'Nothing was decided: the sub-chain has ended.';
      this.update(chainId, requests > 0, why);
    }
    if (event.type === 'view-completed')
      for (const key of [...this.controllers.keys()]) this.update(key, false, chainEnded);
  }

  private update(key: string, isOpen: boolean, why: string): void {
    if (isOpen) {
      if (!this.controllers.has(key)) this.controllers.set(key, new AbortController());
      return;
    }
    this.controllers.get(key)?.abort(why);
    this.controllers.delete(key);
  }
}

function explainClosing(status: string | null): string {
  if (status === 'not_decided') return chainEnded;
  return status === 'expired' ? 'The request expired.' : 'Decided elsewhere.';
}

/** Prompts until the request is decided: a vote leaves it open, and a rejected decision can be corrected. */
async function handleRequest(
  { chain, requestHandling, terminal, prompts }: Omit<RequestContext, 'getChain' | 'handled'>,
  call: string,
  signal: AbortSignal,
  about: readonly string[] = [],
): Promise<void> {
  if (requestHandling === 'prompt') preparePrompts(terminal);
  const find = async () => (await chain.listRequests()).find((request) => request.call === call);
  let request = signal.aborted ? undefined : await find();
  while (request !== undefined && requestHandling === 'prompt') {
    const requestView = viewRequest(request, await chain.view(createViewer('developer')));
    const { decideAtTerminal } = await import('./decide-at-terminal.js');
    terminal.pause();
    const waitsForKey = prompts.count > 0;
    prompts.count += 1;
    const options = { about, sender: toSender({ role: [] }), signal, waitsForKey };
    const prompted = await decideAtTerminal(terminal, chain, requestView, options);
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
  const [read, { status }] = await Promise.all([chain.read(), chain.describe()]);
  const { paused } = read.state;
  if (status !== 'running' || paused === null) return;
  const answer = `To resume: ${formatAnswerCommand(chain.chainId, paused.question)}`;
  const stop = paused.question === undefined ? '' : `. To stop: longhand cancel ${chain.chainId}`;
  terminal.report(`Paused. ${answer}${stop}`);
}
