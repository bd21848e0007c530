/** A real worker in a separate process, so that a test can kill it without a shutdown. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RunLimits } from '../../src/core/model/limits.js';
import type { Duration } from '../../src/index.js';
import { buildModule } from './built-module.js';
import type { KillableOptions } from './killable-agent.js';

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
export const stickyQueueScheduleToStartTimeout = '500ms' as const;

/** Resolves when the process runs; its worker may start later. */
export async function startWorkerProcess(options: WorkerProcessOptions): Promise<WorkerProcess> {
  const args = [await buildModule(new URL('./killable-worker.ts', import.meta.url)), JSON.stringify(options)];
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
