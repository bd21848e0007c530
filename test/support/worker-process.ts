/**
 * A real worker in a separate process, so that a test can kill it without a shutdown. The process ends when its parent ends,
 * for any reason.
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
  /** Whether the worker has a tree of agents. */
  readonly tree?: true;
  /** The store. Default: none. */
  readonly store?: string;
  /** When chains continue as new. Default: when the server suggests it. */
  readonly continueAfter?: RunLimits;
  readonly sweepInterval?: Duration;
}

export interface WorkerProcess {
  readonly pid: number;
  /** Kills the process by SIGKILL, and resolves when it has ended. May be called twice. */
  readonly kill: () => Promise<void>;
}

/** The time for which the server waits for a killed worker before another worker gets its chains. */
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
  // These tests cause failed calls, which need no warnings.
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  process.stdin.resume().on('end', () => process.exit());
  const given: LonghandWorkerOptions = {
    agents: [options.tree ? createKillableTree(options) : createKillableAgent(options)],
    providers: [anthropicProvider({ name: 'anthropic', baseURL: options.modelUrl, apiKey: 'test' })],
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
