/**
 * Everything that a measurement needs, each in its own process: a Temporal server, the scripted model, and one worker
 * for each system. This process starts the chains and waits for them; its work is counted for neither.
 */

import { startDevServer } from '../../src/cli/server/dev-server.js';
import { connect, type Longhand } from '../../src/client/connect.js';
import { startChild } from './child.js';
import type { ModelServerMessage } from './model-server.js';
import { listRuns, sizeOf, type WorkflowRun } from './runs.js';
import { taskOf } from './task.js';
import type { Places, WorkerAnswer, WorkerUsage } from './worker-process.js';

export type SystemName = 'longhand' | 'hand-written';

/** Where Longhand runs the calls of the tool: as activities, or as local calls. */
export type Placement = 'activity' | 'local';

/** One chain of a system that was started. */
export interface Run {
  /** Resolves when it has ended, with whether it answered. */
  readonly completed: () => Promise<boolean>;
  /** Of all its runs. */
  readonly size: () => Promise<Pick<WorkflowRun, 'bytes' | 'events'>>;
  readonly terminate: () => Promise<void>;
}

export interface System {
  readonly name: SystemName;
  /** Null for a hand-written loop. */
  readonly placement: Placement | null;
  /** @param callsAtOnce calls of a step, default 1 */
  readonly start: (steps: number, callsAtOnce?: number) => Promise<Run>;
  /** CPU time and calls of its worker so far. */
  readonly usage: () => Promise<WorkerUsage>;
}

export interface Rig {
  readonly systems: readonly System[];
  readonly longhand: Longhand;
  /** Host and port of the Temporal server. */
  readonly address: string;
  readonly modelUrl: string;
  readonly stop: () => Promise<void>;
}

export interface RigOptions {
  /** Folder for CPU profiles of the workers, or null. */
  readonly profile: string | null;
  /** Events after which Longhand's chains continue in a new run; null for the server's own suggestion. */
  readonly continueAfterEvents: number | null;
}

export async function startRig({ profile, continueAfterEvents }: RigOptions): Promise<Rig> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const server = await startDevServer({ headless: true });
    stops.push(server.stop);
    const models = startChild<ModelServerMessage>('./model-server.ts', []);
    stops.push(() => models.stop());
    const { url } = await models.answer();
    // No store, even if the environment names one: chains are read from the server.
    const longhand = await connect({ address: server.address, taskQueue: 'longhand', store: null });
    stops.push(longhand.close);

    const worker = async (module: string, taskQueue: string): Promise<System['usage']> => {
      const places: Places = { address: server.address, modelUrl: url, taskQueue, continueAfterEvents };
      const child = startChild<WorkerAnswer>(module, [JSON.stringify(places)], { profile });
      stops.push(() => child.stop('stop'));
      await child.answer();
      return async () => {
        const answer = await child.ask('usage');
        if (answer.type !== 'usage') throw new Error(`${module} answered out of turn`);
        return answer;
      };
    };
    const { workflow } = longhand.client;
    const runOf = (workflowId: string, answered: () => Promise<boolean>): Run => {
      const handle = workflow.getHandle(workflowId);
      return {
        completed: answered,
        size: async () => sizeOf(await listRuns(longhand.client, workflowId)),
        terminate: async () => {
          await handle.terminate('The chain exceeded the patience of the benchmark.');
        },
      };
    };
    let started = 0;
    const usage = await worker('./longhand-worker.ts', 'longhand');
    const createLonghand = (placement: Placement, agent: string): System => ({
      name: 'longhand',
      placement,
      usage,
      start: async (steps, callsAtOnce = 1) => {
        const task = taskOf(steps, { callsAtOnce });
        const chain = await longhand.start(agent, task, { chainId: `longhand-${++started}` });
        return runOf(chain.chainId, async () => (await chain.result()).success);
      },
    });
    const systems: readonly System[] = [
      createLonghand('activity', 'stock_taker'),
      createLonghand('local', 'local_taker'),
      {
        name: 'hand-written',
        placement: null,
        usage: await worker('./hand-written/worker.ts', 'hand-written'),
        start: async (steps, callsAtOnce = 1) => {
          const handle = await workflow.start('takeStock', {
            workflowId: `hand-written-${++started}`,
            taskQueue: 'hand-written',
            args: [taskOf(steps, { callsAtOnce })],
          });
          return runOf(handle.workflowId, () =>
            handle.result().then(
              () => true,
              () => false,
            ),
          );
        },
      },
    ];
    return { systems, longhand, address: server.address, modelUrl: url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
