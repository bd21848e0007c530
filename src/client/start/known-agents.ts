/** Rejects a start of an agent that no worker has, most likely a misspelt name, where all workers of the queue are known. */

import type { Connection } from '@temporalio/client';
import { listPollers, type QueueKey } from '../../connection/index.js';
import type { RegisteredWorker } from '../../store/index.js';

interface WorkerLists {
  readonly connection: Pick<Connection, 'workflowService' | 'withDeadline'>;
  /** Lists the workers that the store has for a queue. */
  readonly listWorkers: (queue: QueueKey) => Promise<readonly RegisteredWorker[]>;
}

/** Milliseconds for which an agent that a worker had is not looked up again. */
const knownMs = 60_000;

/** Checks the agent of a start. @throws {LonghandError} `unknown_agent`, with the nearest names */
export type CheckKnownAgent = (agent: string, queue: QueueKey) => Promise<void>;

export function createAgentCheck({ connection, listWorkers }: WorkerLists): CheckKnownAgent {
  const known = new Map<string, number>();
  return async (agent, queue) => {
    const key = JSON.stringify([queue.taskQueue, agent]);
    if ((known.get(key) ?? 0) > Date.now()) return;
    // Chains start also while the store is out of order: the check is an addition.
    const workers = await listWorkers(queue).catch(() => []);
    if (workers.some(({ agents }) => agents.some(({ name }) => name === agent))) {
      known.set(key, Date.now() + knownMs);
      return;
    }
    const { findUnknownAgent } = await import('./unknown-agent.js');
    const unknown = await findUnknownAgent(agent, workers, {
      queue,
      listPollers: () => listPollers(connection, queue),
    });
    if (unknown !== null) throw unknown;
  };
}
