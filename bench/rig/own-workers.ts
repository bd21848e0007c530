/** Workers of their own for a measurement, on a queue of their own: what earlier cases left in a worker's memory counts for none. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Longhand } from '../../src/client/connect.js';
import { writeBuiltWorker } from './built-worker.js';
import { type Child, startChild } from './child.js';
import { bundleTask } from './hand-written/bundle.js';
import type { Rig, SystemName } from './rig.js';
import type { Places, WorkerAnswer, WorkerUsage } from './worker-process.js';

export interface OwnWorkers {
  /** Starts chains on the queue of these workers. */
  readonly longhand: Longhand;
  readonly taskQueue: string;
  /** Of each worker, so far. */
  readonly usage: () => Promise<readonly WorkerUsage[]>;
}

interface OwnWorkerOptions {
  readonly system: SystemName;
  readonly taskQueue: string;
  /** Workers of the queue. Default: 1. */
  readonly count?: number;
}

/** As in the Dockerfile: each thread of Temporal's core would have an arena of its own. */
const imageEnvironment = { MALLOC_ARENA_MAX: '2' } as const;

/** Runs `body` while the workers run. */
export async function withOwnWorkers<T>(
  { address, modelUrl }: Pick<Rig, 'address' | 'modelUrl'>,
  { system, taskQueue, count = 1 }: OwnWorkerOptions,
  body: (workers: OwnWorkers) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-bench-worker-'));
  const children: Child<WorkerAnswer>[] = [];
  try {
    // Longhand's is in its build.
    const bundlePath = system === 'longhand' ? undefined : join(folder, 'workflow-bundle.js');
    if (bundlePath !== undefined) await writeFile(bundlePath, await bundleTask());
    const module = await writeBuiltWorker(system);
    const places: Places = {
      ...{ address, modelUrl, taskQueue },
      ...(bundlePath === undefined ? {} : { bundlePath }),
      continueAfterEvents: null,
    };
    for (let nth = 0; nth < count; nth += 1)
      children.push(startChild<WorkerAnswer>(module, [JSON.stringify(places)], { env: imageEnvironment }));
    await Promise.all(children.map((child) => child.answer()));
    const longhand = await connect({ address, taskQueue, store: null });
    try {
      const usage = () => Promise.all(children.map(askUsage));
      return await body({ longhand, taskQueue, usage });
    } finally {
      await longhand.close();
    }
  } finally {
    await Promise.all(children.map((child) => child.stop('stop')));
    await rm(folder, { recursive: true, force: true });
  }
}

async function askUsage(child: Child<WorkerAnswer>): Promise<WorkerUsage> {
  const answer = await child.ask('usage');
  if (answer.type !== 'usage') throw new Error('A worker answered out of turn.');
  return answer;
}
