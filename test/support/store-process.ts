/** Processes of their own that use a store, so that tests can have several at once, and kill them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a module with `args` and resolves with what it printed.
 *
 * @throws Error with what it said on standard error, when it ends otherwise than well
 */
export async function inProcess(module: URL, args: readonly string[]): Promise<string> {
  const child = startProcess(module, args);
  const texts = ['', ''];
  child.stdout?.on('data', (data) => (texts[0] += data));
  child.stderr?.on('data', (data) => (texts[1] += data));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The process ended with ${code}: ${texts[1]}`);
  return texts[0] ?? '';
}

export function startProcess(module: URL, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', module.pathname, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}
