/** Finds out which workers poll a task queue: without one, chains on it do not continue. */

import type { Connection } from '@temporalio/client';

export interface QueueKey {
  readonly namespace: string;
  readonly taskQueue: string;
}

/** A worker polls again after a minute at the latest; the server lists pollers for longer. */
const pollMs = 70_000;
/** A command that starts a chain waits for this long. */
const timeoutMs = 2_000;
const workflowTasks = 1;
const enhancedMode = 1;

/** Returns the identities of the workers that poll a queue; null when the server does not report them. */
export async function listPollers(
  connection: Pick<Connection, 'workflowService' | 'withDeadline'>,
  { namespace, taskQueue }: QueueKey,
  now = Date.now(),
): Promise<readonly string[] | null> {
  const request = {
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: workflowTasks,
    // All partitions of the queue; older servers ignore these members and answer for one.
    ...{ apiMode: enhancedMode, taskQueueTypes: [workflowTasks], reportPollers: true },
    versions: { unversioned: true, allActive: true },
  };
  try {
    const { workflowService } = connection;
    const description = await connection.withDeadline(now + timeoutMs, () =>
      workflowService.describeTaskQueue(request),
    );
    const types = Object.values(description.versionsInfo ?? {}).flatMap(({ typesInfo }) =>
      Object.values(typesInfo ?? {}),
    );
    const pollers = [...(description.pollers ?? []), ...types.flatMap((type) => type.pollers ?? [])];
    const polling = pollers.filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 > now - pollMs);
    return [...new Set(polling.map(({ identity }) => identity ?? ''))];
  } catch {
    return null;
  }
}

export function formatUnpolledQueue(taskQueue: string): string {
  return `No worker polls task queue ${taskQueue}. Start one with \`longhand worker --task-queue ${taskQueue}\`, or start the chain on another queue.`;
}
