/** A worker in Python (python-worker.py), for tools whose activities and workflows are the user's. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getTemporalAddress } from './temporal.js';

/** Plain JavaScript without types. */
const { findTemporalPython } = (await import(new URL('../../scripts/python.mjs', import.meta.url).href)) as {
  readonly findTemporalPython: () => string | null;
};

/** The Python that has Temporal's SDK; null where it is not installed. */
export const temporalPython = findTemporalPython();

/** Follows the name of a suite: a skipped one states its reason. */
export const pythonLack =
  temporalPython === null ? ' (skipped: `node scripts/setup.mjs python` has not installed its SDK)' : '';

export interface PythonWorker {
  /** Ends it at once, as a crash does. */
  readonly kill: () => Promise<void>;
}

export interface PythonQueue {
  /** What the activities have noted, a line each, of all workers of the queue. */
  readonly readJournal: () => Promise<readonly string[]>;
  readonly startWorker: () => Promise<PythonWorker>;
  /** Ends all workers. */
  readonly close: () => Promise<void>;
}

export async function openPythonQueue(taskQueue: string): Promise<PythonQueue> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-python-'));
  const journal = join(folder, 'journal');
  await writeFile(journal, '');
  const workers: PythonWorker[] = [];
  const startWorker = async () => {
    const worker = await launchWorker([getTemporalAddress(), taskQueue, journal]);
    workers.push(worker);
    return worker;
  };
  const close = async () => {
    await Promise.all(workers.map(({ kill }) => kill()));
    await rm(folder, { recursive: true, force: true });
  };
  return {
    readJournal: async () => (await readFile(journal, 'utf8')).split('\n').filter((line) => line !== ''),
    startWorker,
    close,
  };
}

/** Resolves when the worker has started. */
async function launchWorker(args: readonly string[]): Promise<PythonWorker> {
  if (temporalPython === null) throw new Error('Run `node scripts/setup.mjs python`.');
  const script = fileURLToPath(new URL('./python-worker.py', import.meta.url));
  const child = spawn(temporalPython, [script, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let printed = '';
  child.stderr.on('data', (data: Buffer) => {
    printed += data.toString();
  });
  const ready = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
  if (!ready) throw new Error(`The worker in Python did not start:\n${printed}`);
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { kill };
}
