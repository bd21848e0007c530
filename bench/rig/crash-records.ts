/**
 * Records each execution of the tool and each request of the model in files, to count what a crash makes a system do twice. Only
 * measurements of crashes set the variables; without them nothing is recorded.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** File that receives the part of each execution, one a line. */
export const effectsVariable = 'LONGHAND_BENCH_EFFECTS';

/** File that receives the step of each request of the model, one a line, when the request arrives. */
export const requestsVariable = 'LONGHAND_BENCH_REQUESTS';

/** Part whose first execution kills its process: the effect is done, and nobody has received the result. */
export const fatalPartVariable = 'LONGHAND_BENCH_FATAL_PART';

/** Returns the lines of such a file. */
export function readRecords(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

export function recordRequest(step: number): void {
  const file = process.env[requestsVariable];
  if (file !== undefined) appendFileSync(file, `${step}\n`);
}

export function recordEffect(part: string): void {
  const file = process.env[effectsVariable];
  if (file === undefined) return;
  const isFirst = !readRecords(file).includes(part);
  appendFileSync(file, `${part}\n`);
  if (isFirst && part === process.env[fatalPartVariable]) process.kill(process.pid, 'SIGKILL');
}
