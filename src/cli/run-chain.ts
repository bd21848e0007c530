/** One chain with its worker in this process: printed as it goes, cancelled by Ctrl-C, and its result at the end. */

import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Agent } from '../agents/define-agent.js';
import { connect } from '../client/connect.js';
import type { ChainHandle } from '../client/handle.js';
import type { StartOptions } from '../client/start.js';
import { tokenChannel } from '../contract/tokens.js';
import type { ChainResult } from '../core/result.js';
import type { ModelProvider } from '../models/provider.js';
import { createWorker } from '../worker/create-worker.js';
import { chainPrinter } from './print-chain.js';

export interface RunChainOptions {
  readonly agents: readonly Agent[];
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
  readonly live: { readonly write: (text: string) => void; readonly color: boolean; readonly width: number } | null;
}

export async function runChain(options: RunChainOptions): Promise<ChainResult> {
  const { agents, agent, task, address, provider, prices } = options;
  // Its own, unless one was named: another worker has other agents, or answers with another model.
  const taskQueue = options.taskQueue ?? `longhand-run-${randomUUID()}`;
  const temporal = { shutdownForceTime: 12_000 };
  const tokens = options.tokens ? tokenChannel() : undefined;
  const { worker, run } = await createWorker({ agents, address, taskQueue, provider, prices, temporal, tokens });
  const running = run();
  // Awaited at the end; a worker that fails meanwhile shows in the chain.
  running.catch(() => {});
  const longhand = await connect({ address, taskQueue, tokens });
  try {
    const chain = await longhand.start(agent, task, options.start);
    return await cancelledByCtrlC(chain, options.live?.write ?? (() => {}), () => toTheEnd(chain, options));
  } finally {
    worker.shutdown();
    await running;
    await longhand.close();
  }
}

async function toTheEnd(
  chain: ChainHandle,
  { live, tokens = false }: Pick<RunChainOptions, 'live' | 'tokens'>,
): Promise<ChainResult> {
  if (live === null) return chain.result();
  const print = chainPrinter(live);
  for await (const event of chain.follow({ tokens })) {
    live.write(print(event));
    if (event.type === 'ended') return event.result;
  }
  return chain.result();
}

/** The first Ctrl-C asks the chain to end; the second does not wait for it. */
async function cancelledByCtrlC<T>(chain: ChainHandle, say: (text: string) => void, go: () => Promise<T>): Promise<T> {
  let asked = false;
  const interrupt = () => {
    if (asked) process.exit(130);
    asked = true;
    say('\nCancelling; press Ctrl-C again to leave at once.\n');
    void chain.cancel({ by: userInfo().username, reason: 'Ctrl-C' }).catch((error: unknown) => say(`${error}\n`));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await go();
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
