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
import { loggedIn } from '../access/open.js';
import { type Following, type Manner, withPeople } from '../approvals/while-following.js';
import { type Showing, showChain } from '../print/screen.js';
import { stoppable } from '../terminal/shutdown.js';
import type { Terminal } from '../terminal/terminal.js';
import { startNamed } from './start.js';

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
  readonly live: Pick<Terminal, 'write' | 'color' | 'width'> | null;
  /** What to do when it waits for a person. */
  readonly people: Manner;
  /** Told that the chain is being cancelled, and what waits for a person. */
  readonly say: (line: string) => void;
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
  const showing = showChain({ ...options, drawn: agent.strategy.name === 'plan' && !options.tokens });
  try {
    const own = options.taskQueue === undefined ? { endAfterMs: longestMs(options) } : {};
    const chain = await startNamed(() => longhand.start(agent, task, { ...options.start, ...own }));
    return await stoppable(
      (why) => cancel(chain, why, showing.say),
      () =>
        whileServed(running, chain.chainId, (signal) =>
          toTheEnd(chain, showing, { ...options, chainOf: longhand.getHandle, signal }),
        ),
    );
  } finally {
    showing.close();
    await stopped(made, running);
    await longhand.close();
  }
}

/** If this process is killed, no worker comes to a queue of its own any more, and the chain would run for ever. */
function longestMs({ agent, approvals, start: { limits } }: RunChainOptions): number {
  const timeMs = limits?.timeMs ?? agent.limits.timeMs ?? defaults.timeMs;
  // What is waited for people does not count towards its own limit; Temporal counts all.
  const peopleMs = asksPeople(agent) || approvals !== undefined ? defaults.askMs : 0;
  return peopleMs + timeMs + defaults.graceMs + defaults.closingMs + defaults.graceMs + marginMs;
}

function asksPeople({ tools, definition }: Agent): boolean {
  if (definition.approval !== undefined) return true;
  return tools.some(({ snapshot, approval }) => approval || snapshot.question || snapshot.effects === 'unsafe');
}

async function stopped({ worker }: LonghandWorker, running: Promise<void>): Promise<void> {
  if (worker.getState() === 'RUNNING') worker.shutdown();
  await running.catch(() => {});
}

/**
 * Nobody takes up a chain whose worker has failed: who follows it would wait for ever.
 *
 * @param go is told by the signal that nothing more will come
 * @throws Error when the worker fails
 */
async function whileServed<T>(
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

async function toTheEnd(
  chain: ChainHandle,
  showing: Showing,
  {
    live,
    people,
    tokens = false,
    chainOf,
    signal,
  }: RunChainOptions & Pick<Following, 'chainOf'> & { readonly signal: AbortSignal },
): Promise<ChainResult> {
  const terminal = { ...(live ?? { color: false, width: 100 }), write: showing.write, say: showing.say };
  const events = chain.follow({ tokens, signal, children: true });
  for await (const event of withPeople(events, { chain, chainOf, manner: people, terminal })) {
    // Who is asked is shown all of it with the question.
    if (people === 'ask' && waits(event)) showing.ask(event);
    else showing.see(event);
    if (event.type === 'ended') return event.result;
  }
  return chain.result();
}

function waits(event: ChainEvent): boolean {
  return event.type === 'request-opened' || (event.type === 'child' && event.child.requests > 0);
}

function cancel(chain: ChainHandle, why: string, say: (line: string) => void): void {
  say('\nCancelling; press Ctrl-C again to leave at once.');
  void chain.cancel({ by: loggedIn(), reason: why }).catch((error: unknown) => say(String(error)));
}
