/** `longhand worker` and `longhand dev`: workers that run until they are asked to stop. */

import { Runtime } from '@temporalio/worker';
import { createWorker, type LonghandWorker } from '../worker/create-worker.js';
import { stoppable } from './asked-to-stop.js';
import { loadAgents } from './load-agents.js';
import { configuredModel } from './model.js';
import { findServer } from './server.js';
import type { Terminal } from './terminal.js';

export interface WorkerFlags {
  readonly module?: string;
  readonly taskQueue?: string;
  readonly prices?: string;
}

export async function worker(_terminal: Terminal, flags: WorkerFlags): Promise<number> {
  const agents = await loadAgents(flags.module);
  const { provider, description } = configuredModel();
  const made = await createWorker({ agents, provider, taskQueue: flags.taskQueue, prices: flags.prices });
  const names = agents.map((agent) => agent.name).join(', ');
  Runtime.instance().logger.info(`A worker for ${names}; ${description}. Ctrl-C stops it.`);
  await runUntilAsked(made);
  return 0;
}

/** Temporal with the settings that chains want, and a worker, until Ctrl-C. */
export async function dev(terminal: Terminal, flags: WorkerFlags & { readonly db?: string }): Promise<number> {
  const agents = await loadAgents(flags.module);
  const { provider, description } = configuredModel();
  const server = await findServer({ say: terminal.say, shared: true, dbFile: flags.db });
  try {
    const { address } = server;
    const made = await createWorker({ agents, provider, address, taskQueue: flags.taskQueue, prices: flags.prices });
    const lines = [
      `Temporal    ${address}${server.own ? '' : ' (was running already)'}`,
      `Web UI      ${server.uiUrl ?? 'wherever that server has it'}`,
      `Agents      ${agents.map((agent) => agent.name).join(', ')}`,
      `Model       ${description}`,
      '',
      `Start a chain: npx longhand start ${agents[0]?.name} "…" --wait${address === '127.0.0.1:7233' ? '' : `   (with TEMPORAL_ADDRESS=${address})`}`,
      'Ctrl-C stops all of it.',
    ];
    terminal.say(lines.join('\n'));
    await runUntilAsked(made);
    return 0;
  } finally {
    await server.stop();
  }
}

/** What is in hand is finished or handed on. */
async function runUntilAsked({ worker, run }: LonghandWorker): Promise<void> {
  const stop = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  await stoppable(stop, run);
}
