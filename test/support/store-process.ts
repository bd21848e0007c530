/** Separate processes that use a store, so that tests can run several at once, and kill them. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { buildModule } from './built-module.js';

/**
 * Runs a module in a number of processes that begin at the same time: each prints a line when it is ready, and begins when
 * it receives a line.
 *
 * @throws Error with the standard error of a process that fails
 */
export async function runProcesses(count: number, module: URL, args: readonly string[]): Promise<readonly string[]> {
  const children = await Promise.all(Array.from({ length: count }, () => startProcess(module, args)));
  const ends = children.map(outputOf);
  // A process that fails before it is ready rejects its end.
  await Promise.race([Promise.all(children.map((child) => once(child.stdout, 'data'))), Promise.all(ends)]);
  for (const child of children) child.stdin.end('begin\n');
  return Promise.all(ends);
}

/** Called by the module: resolves when all processes are ready. */
export async function waitUntilReady(): Promise<void> {
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
}

export async function startProcess(module: URL, args: readonly string[]): Promise<ChildProcessWithoutNullStreams> {
  return spawn(process.execPath, [await buildModule(module), ...args]);
}

async function outputOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  let output = '';
  let errors = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (errors += data));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`A process ended with ${code}: ${errors}`);
  return output;
}
