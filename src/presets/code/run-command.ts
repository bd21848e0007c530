/**
 * Runs a program with all that it starts, to its end or to the end of its time.
 *
 * P1 Nothing that it has started is left running: its process group ends with it, whether it ends by itself, is stopped by
 *    the signal, or takes too long. Only what puts itself into a group of its own escapes.
 * P2 It waits for nobody: there is no input, and no terminal to ask at.
 */

import { type ChildProcess, spawn } from 'node:child_process';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly hear: (chunk: Buffer, from: 'stdout' | 'stderr') => void;
}

/** How it ended: by itself with a number, by a signal of somebody's, or because its time was over. */
export type CommandEnd =
  | { readonly by: 'exit'; readonly code: number }
  | { readonly by: 'signal'; readonly name: string }
  | { readonly by: 'timeout' };

/** It was not run: there is no such program, or it may not be run. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted';
}

/** Milliseconds from the request to end to the order. */
const politeMs = 2_000;
/** Milliseconds that what escaped its group may hold the output open. */
const openMs = 500;

/**
 * @throws {NotStarted} when certainly nothing was run
 * @throws the signal's reason, once what it started has ended
 */
export async function runCommand(command: Command): Promise<CommandEnd> {
  const { signal, timeoutMs } = command;
  if (signal.aborted) throw new NotStarted('it was stopped before it began', { cause: signal.reason });
  const child = start(command);
  const closed = ended(child);
  let late = false;
  const stop = () => endGroup(child);
  const timer = setTimeout(() => {
    late = true;
    stop();
  }, timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { code, name } = await closed;
    signal.throwIfAborted();
    if (late) return { by: 'timeout' };
    return code === null ? { by: 'signal', name: name ?? 'unknown' } : { by: 'exit', code };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function start({ file, args, cwd, env, hear }: Command): ChildProcess {
  try {
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    child.stdout?.on('data', (chunk: Buffer) => hear(chunk, 'stdout'));
    child.stderr?.on('data', (chunk: Buffer) => hear(chunk, 'stderr'));
    return child;
  } catch (cause) {
    // A zero byte in an argument, or too many of them.
    throw new NotStarted(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

interface Ended {
  readonly code: number | null;
  readonly name: string | null;
}

function ended(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause: NodeJS.ErrnoException) => {
      if (child.pid === undefined) reject(new NotStarted(cause.code ?? cause.message, { cause }));
    });
    child.once('exit', () => {
      // P1, for what it left in the background. What was said before is in the pipes and is still read.
      signalGroup(child, 'SIGKILL');
      const escaped = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, openMs);
      child.once('close', () => clearTimeout(escaped));
    });
    child.once('close', (code, name) => resolve({ code, name }));
  });
}

function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  const order = setTimeout(() => signalGroup(child, 'SIGKILL'), politeMs);
  child.once('exit', () => clearTimeout(order));
}

function signalGroup({ pid }: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // There is nobody left in it.
  }
}
