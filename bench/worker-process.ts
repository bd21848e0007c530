/** The worker's side of a measurement: its process reports its own CPU time and work between two questions. */

import { DefaultLogger, Runtime, type Worker } from '@temporalio/worker';
import { lookUpsMade } from './task.js';

/** What a worker's process is told by its arguments. */
export interface Places {
  readonly address: string;
  readonly modelUrl: string;
  readonly taskQueue: string;
}

export type WorkerQuestion = 'usage' | 'stop';

export interface WorkerUsage {
  /** Milliseconds of CPU time of the whole process so far, in user and system mode. */
  readonly cpuMs: number;
  /** Calls of the tool so far. */
  readonly lookUps: number;
}

export type WorkerAnswer = { readonly type: 'ready' } | ({ readonly type: 'usage' } & WorkerUsage);

export function places(): Places {
  const [address = '', modelUrl = '', taskQueue = ''] = process.argv.slice(2);
  return { address, modelUrl, taskQueue };
}

/** Before the worker is made: nothing but warnings. */
export function quiet(): void {
  Runtime.install({ logger: new DefaultLogger('WARN') });
}

/** Runs the worker until the process that started this one says stop, or is gone. */
export async function serve(worker: Worker, run: () => Promise<void>): Promise<void> {
  const running = run();
  const shutdown = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  process.on('message', (question: WorkerQuestion) => {
    if (question === 'stop') return shutdown();
    const { user, system } = process.cpuUsage();
    say({ type: 'usage', cpuMs: (user + system) / 1_000, lookUps: lookUpsMade() });
  });
  process.once('disconnect', shutdown);
  say({ type: 'ready' });
  await running;
  if (process.connected) process.disconnect();
}

function say(answer: WorkerAnswer): void {
  process.send?.(answer);
}
