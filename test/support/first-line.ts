/** The first line that a child process prints when it is ready. */

import type { ChildProcess } from 'node:child_process';

/**
 * Resolves with the first line on standard output.
 *
 * @throws Error with the child's output if it ends without a line
 */
export function readFirstLine(child: ChildProcess): Promise<string> {
  let out = '';
  let errors = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (data) => {
      out += data;
      if (out.includes('\n')) resolve(out.slice(0, out.indexOf('\n')));
    });
    child.stderr?.on('data', (data) => {
      errors += data;
    });
    child.once('error', reject);
    child.once('close', (code, signal) =>
      reject(new Error(`A process ended with ${code ?? signal} before it was ready: ${out}${errors}`)),
    );
  });
}
