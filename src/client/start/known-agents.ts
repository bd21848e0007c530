/** Rejects a start of an agent that no worker has, most likely a misspelt name, where all workers of the queue are known. */

import type { Connection } from '@temporalio/client';
import { listPollers, type QueueKey } from '../../connection/pollers.js';
import { LonghandError } from '../../core/lib/errors.js';
import { findNearest } from '../../core/lib/nearest.js';
import { formatKnownAgents } from '../../core/model/stop-reason.js';
import {
  listNearestAgents,
  listQueueAgents,
  type RegisteredAgent,
  type RegisteredWorker,
} from '../../store/workers/worker-registry.js';

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
    const agents = await listQueueAgents(workers, () => listPollers(connection, queue));
    if (agents !== null) throw createUnknownAgentError(agent, queue, agents);
  };
}

function createUnknownAgentError(
  agent: string,
  { taskQueue }: QueueKey,
  agents: readonly RegisteredAgent[],
): LonghandError {
  const names = listNearestAgents(agent, agents);
  const nearest = findNearest(agent, names);
  const known = formatKnownAgents(names);
  const hint = nearest === null ? known : `Did you mean ${nearest}?`;
  return new LonghandError(
    'unknown_agent',
    `No worker of task queue ${taskQueue} has an agent named ${agent}. ${hint} For an agent that is about to be deployed, set \`awaitAgent\` (--await-agent).`,
  );
}
