/**
 * One chain with its worker in this process: printed as it goes, cancelled when the command is asked to stop, and its
 * result at the end.
 */

import { randomUUID } from 'node:crypto';
import type { Agent } from '../../agents/define-agent.js';
import { connect } from '../../client/connect.js';
import type { ChainEvent } from '../../client/follow/follow.js';
import type { ChainHandle } from '../../client/handle.js';
import type { StartOptions } from '../../client/start/start.js';
import { createTokenChannel } from '../../contract/tokens.js';
import type { ChainResult } from '../../core/engine/result.js';
import { defaults } from '../../core/model/defaults.js';
import type { ModelProvider } from '../../models/provider.js';
import type { SecretProvider } from '../../secrets/secret-provider.js';
import type { WorkerApprovals } from '../../tools/approval/approval.js';
import { createWorker, type LonghandWorker } from '../../worker/create-worker.js';
import { getSystemUser } from '../access/open.js';
import { type FollowContext, handleRequests, type RequestHandling } from '../approvals/handle-requests.js';
import { type ChainDisplay, createChainDisplay } from '../print/chain-display.js';
import { runStoppable } from '../terminal/shutdown.js';
import type { Terminal } from '../terminal/terminal.js';
import { startWithUsageErrors } from './start.js';

export interface RunChainOptions {
  readonly agents: readonly Agent[];
  readonly approvals?: WorkerApprovals | undefined;
  readonly secrets?: SecretProvider | undefined;
  readonly agent: Agent;
  readonly task: string;
  readonly address: string;
  /** Default: one of its own. A chain on a shared one lives on in other workers when this process dies. */
  readonly taskQueue?: string | undefined;
  readonly provider: ModelProvider;
  readonly prices?: string | undefined;
  readonly start: StartOptions;
  /** Whether what the model is saying is shown as it speaks. */
  readonly tokens?: boolean | undefined;
  /** Given the lines of the chain as it goes on; null for silence. */
  readonly output: Pick<Terminal, 'write' | 'color' | 'width'> | null;
  /** What to do when it waits for a person. */
  readonly requestHandling: RequestHandling;
  /** Told that the chain is being cancelled, and what waits for a person. */
  readonly report: (line: string) => void;
}

/** Milliseconds that a chain is given beyond what it may need by itself, before Temporal ends it. */
const marginMs = 60_000;

export async function runChain(options: RunChainOptions): Promise<ChainResult> {
  const { agents, approvals, secrets, agent, task, address, provider, prices } = options;
  // Its own, unless one was named: another worker has other agents, or answers with another model.
  const taskQueue = options.taskQueue ?? `longhand-run-${randomUUID()}`;
  const tokens = options.tokens ? createTokenChannel() : undefined;
  const made = await createWorker({ agents, approvals, secrets, address, taskQueue, provider, prices, tokens });
  const running = made.run();
  // Once the chain has ended, what a worker says of its own end is no news: a tool may be left behind.
  running.catch(() => {});
  const longhand = await connect({ address, taskQueue, tokens });
  const showing = createChainDisplay({ ...options, isRedrawn: agent.strategy.name === 'plan' && !options.tokens });
  try {
    const own = options.taskQueue === undefined ? { endAfterMs: computeMaxDurationMs(options) } : {};
    const chain = await startWithUsageErrors(() => longhand.start(agent, task, { ...options.start, ...own }));
    return await runStoppable(
      (why) => cancelChain(chain, why, showing.report),
      () =>
        runWhileServed(running, chain.chainId, (signal) =>
          followToEnd(chain, showing, { ...options, getChain: longhand.getHandle, signal }),
        ),
    );
  } finally {
    showing.close();
    await stopWorker(made, running);
    await longhand.close();
  }
}

/** If this process is killed, no worker comes to a queue of its own any more, and the chain would run for ever. */
function computeMaxDurationMs({ agent, approvals, start: { limits } }: RunChainOptions): number {
  const timeMs = limits?.timeMs ?? agent.limits.timeMs ?? defaults.timeMs;
  // What is waited for people does not count towards its own limit; Temporal counts all.
  const peopleMs = canAskPeople(agent) || approvals !== undefined ? defaults.askMs : 0;
  return peopleMs + timeMs + defaults.graceMs + defaults.closingMs + defaults.graceMs + marginMs;
}

function canAskPeople({ tools, definition }: Agent): boolean {
  if (definition.approval !== undefined) return true;
  return tools.some(({ snapshot, approval }) => approval || snapshot.question || snapshot.effects === 'unsafe');
}

async function stopWorker({ worker }: LonghandWorker, running: Promise<void>): Promise<void> {
  if (worker.getState() === 'RUNNING') worker.shutdown();
  await running.catch(() => {});
}

/**
 * Nobody takes up a chain whose worker has failed: who follows it would wait for ever.
 *
 * @param go is told by the signal that nothing more will come
 * @throws Error when the worker fails
 */
async function runWhileServed<T>(
  running: Promise<void>,
  chainId: string,
  go: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const alone = new AbortController();
  const failed = new Promise<never>((_resolve, reject) => {
    running.catch((cause: unknown) => {
      const said = cause instanceof Error ? cause.message : String(cause);
      reject(new Error(`The worker failed, and chain ${chainId} stands where it was: ${said}`, { cause }));
      alone.abort();
    });
  });
  return Promise.race([failed, go(alone.signal)]);
}

async function followToEnd(
  chain: ChainHandle,
  showing: ChainDisplay,
  {
    output,
    requestHandling,
    tokens = false,
    getChain,
    signal,
  }: RunChainOptions & Pick<FollowContext, 'getChain'> & { readonly signal: AbortSignal },
): Promise<ChainResult> {
  const terminal = { ...(output ?? { color: false, width: 100 }), write: showing.write, report: showing.report };
  const events = chain.follow({ tokens, signal, children: true });
  for await (const event of handleRequests(events, { chain, getChain, requestHandling, terminal })) {
    // Who is asked is shown all of it with the question.
    if (requestHandling === 'prompt' && isRequest(event)) showing.showBeforePrompt(event);
    else showing.show(event);
    if (event.type === 'chain-ended') return event.result;
  }
  return chain.result();
}

function isRequest(event: ChainEvent): boolean {
  return event.type === 'request-opened' || (event.type === 'sub-chain-changed' && event.child.requests > 0);
}

function cancelChain(chain: ChainHandle, why: string, say: (line: string) => void): void {
  say('\nCancelling; press Ctrl-C again to leave at once.');
  void chain.cancel({ by: getSystemUser(), reason: why }).catch((error: unknown) => say(String(error)));
}
