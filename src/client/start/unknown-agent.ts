import type { QueueKey } from '../../connection/index.js';
import { findNearest, LonghandError } from '../../core/lib/index.js';
import { formatKnownAgents } from '../../core/model/index.js';
import { listNearestAgents, listQueueAgents, type RegisteredWorker } from '../../store/index.js';

interface QueuePollers {
  readonly queue: QueueKey;
  /** Null where the server does not list them. */
  readonly listPollers: () => Promise<readonly string[] | null>;
}

/** Returns the error for an agent that no worker of a queue has; null where not all workers of the queue are known. */
export async function findUnknownAgent(
  agent: string,
  workers: readonly RegisteredWorker[],
  { queue, listPollers }: QueuePollers,
): Promise<LonghandError | null> {
  const agents = await listQueueAgents(workers, listPollers);
  return agents === null ? null : createUnknownAgentError(agent, queue, listNearestAgents(agent, agents));
}

function createUnknownAgentError(agent: string, { taskQueue }: QueueKey, names: readonly string[]): LonghandError {
  const nearest = findNearest(agent, names);
  const known = formatKnownAgents(names);
  const hint = nearest === null ? known : `Did you mean ${nearest}?`;
  return new LonghandError(
    'unknown_agent',
    `No worker of task queue ${taskQueue} has an agent named ${agent}. ${hint} For an agent that is about to be deployed, set \`awaitAgent\` (--await-agent).`,
  );
}
