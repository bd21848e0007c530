/**
 * A real worker in a process of its own, so that it can be killed as a machine is: without a last word. The process ends
 * with its parent, however that ends.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { RunLimits } from '../../src/core/model/limits.js';
import { anthropicProvider, type Duration, type LonghandWorkerOptions } from '../../src/index.js';
import { createWorkerWithBundle } from '../../src/worker/create-worker.js';
import { createKillableAgent, type KillableOptions } from './killable-agent.js';
import { createKillableTree } from './killable-tree.js';

export interface WorkerProcessOptions extends KillableOptions {
  /** Host and port of the Temporal server. */
  readonly address: string;
  readonly taskQueue: string;
  readonly modelUrl: string;
  readonly bundlePath: string;
  /** Whether it serves a whole tree of agents. */
  readonly tree?: true;
  /** Its store, and when its chains continue as new. Default: no store, and when the server suggests it. */
  readonly store?: string;
  readonly continueAfter?: RunLimits;
  readonly sweepInterval?: Duration;
}

export interface WorkerProcess {
  readonly pid: number;
  /** By SIGKILL; resolves when the process is gone. May be called twice. */
  readonly kill: () => Promise<void>;
}

/** A killed worker's own queue is waited at for this long before another worker gets its chains. */
export const stickyQueueScheduleToStartTimeout = '500ms';

/** Resolves when the process runs; its worker may start later. */
export async function startWorkerProcess(options: WorkerProcessOptions): Promise<WorkerProcess> {
  const file = fileURLToPath(import.meta.url);
  const args = ['--import', 'tsx', file, JSON.stringify(options)];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['pipe', 'inherit', 'inherit'] });
  const gone = once(child, 'exit');
  await once(child, 'spawn');
  return {
    pid: child.pid!,
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

async function main(options: WorkerProcessOptions): Promise<void> {
  // Calls that fail are what such tests are about.
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  process.stdin.resume().on('end', () => process.exit());
  const given: LonghandWorkerOptions = {
    agents: [options.tree ? createKillableTree(options) : createKillableAgent(options)],
    provider: anthropicProvider({ baseURL: options.modelUrl, apiKey: 'test' }),
    address: options.address,
    taskQueue: options.taskQueue,
    ...(options.store === undefined ? {} : { store: options.store }),
    ...(options.sweepInterval === undefined ? {} : { sweepInterval: options.sweepInterval }),
    ...(options.continueAfter === undefined ? {} : { continueAfter: options.continueAfter }),
    temporal: { stickyQueueScheduleToStartTimeout },
  };
  const { run } = await createWorkerWithBundle(given, async () => ({ codePath: options.bundlePath }));
  await run();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(JSON.parse(process.argv[2] ?? '{}') as WorkerProcessOptions);
}
