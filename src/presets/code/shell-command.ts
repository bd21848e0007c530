/** Runs a line of shell in the root, and tells how it went as data: a command that fails has been run all the same. */

import { plain } from '../../core/lib/plain.js';
import { keepEnds } from './keep-ends.js';
import { runCommand } from './run-command.js';
import { openWorkshop, type Workshop } from './workshop.js';

export interface ShellCommand {
  readonly line: string;
  /** Given to the line as "$1", "$2" …: nothing in them is shell. */
  readonly args?: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ShellResult {
  /** Null where it did not end by itself. */
  readonly exitCode: number | null;
  /** Why it did not. */
  readonly stopped?: string;
  /** What it wrote, to standard output and standard error as they came. */
  readonly output: string;
}

/** Bytes of output that are kept; of them the model is shown what fits its observations. */
const outputBytes = 128 * 1024;

/** @throws {NotStarted} when certainly nothing was run */
export async function runShell(
  workshop: Workshop,
  { line, args = [], timeoutMs, signal }: ShellCommand,
): Promise<ShellResult> {
  const { cwd, env, hider } = await openWorkshop(workshop);
  const ends = keepEnds(outputBytes);
  const command = { file: '/bin/sh', args: ['-c', line, 'sh', ...args], cwd, env, timeoutMs, signal, hear: ends.add };
  const end = await runCommand(command);
  const output = hider.text(plain(ends.text()));
  switch (end.by) {
    case 'exit':
      return { exitCode: end.code, output };
    case 'signal':
      return { exitCode: null, stopped: `it was ended by ${end.name}`, output };
    case 'timeout':
      return { exitCode: null, stopped: `it was ended after ${timeoutMs / 1_000} seconds, its time limit`, output };
  }
}
