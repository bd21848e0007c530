/**
 * Runs a program with all that it starts, to its end or to the end of its time, and keeps both ends of its output.
 *
 * P1 Nothing that it has started is left running: its process group ends with it, whether it ends by itself, is stopped by
 *    the signal, or takes too long. Only what puts itself into a group of its own escapes.
 * P2 It waits for nobody: there is no input, and no terminal to ask at.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { formatOmission } from '../../core/lib/clip.js';

interface CommandOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer, from: 'stdout' | 'stderr') => void;
}

/** How it ended: by itself with a number, by a signal of somebody's, or because its time was over. */
type CommandEnd =
  | { readonly by: 'exit'; readonly code: number }
  | { readonly by: 'signal'; readonly name: string }
  | { readonly by: 'timeout' };

/** It was not run: there is no such program, or it may not be run. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted';
}

/** Milliseconds from the request to end to the order. */
const killDelayMs = 2_000;
/** Milliseconds that what escaped its group may hold the output open. */
const outputCloseMs = 500;

/**
 * @throws {NotStarted} when certainly nothing was run
 * @throws the signal's reason, once what it started has ended
 */
export async function runCommand(command: CommandOptions): Promise<CommandEnd> {
  const { signal, timeoutMs } = command;
  if (signal.aborted) throw new NotStarted('it was stopped before it began', { cause: signal.reason });
  const child = spawnCommand(command);
  const closed = waitForExit(child);
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

function spawnCommand({ file, args, cwd, env, onOutput }: CommandOptions): ChildProcess {
  try {
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    child.stdout?.on('data', (chunk: Buffer) => onOutput(chunk, 'stdout'));
    child.stderr?.on('data', (chunk: Buffer) => onOutput(chunk, 'stderr'));
    return child;
  } catch (cause) {
    // A zero byte in an argument, or too many of them.
    throw new NotStarted(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

interface ProcessExit {
  readonly code: number | null;
  readonly name: string | null;
}

function waitForExit(child: ChildProcess): Promise<ProcessExit> {
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
      }, outputCloseMs);
      child.once('close', () => clearTimeout(escaped));
    });
    child.once('close', (code, name) => resolve({ code, name }));
  });
}

function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  const order = setTimeout(() => signalGroup(child, 'SIGKILL'), killDelayMs);
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

interface HeadTailBuffer {
  readonly add: (chunk: Buffer) => void;
  readonly text: () => string;
}

/**
 * The beginning and the end of an output, however long it gets; the bytes between them are counted. The beginning says what
 * ran, and the end is where compilers and tests have their errors.
 *
 * @param most bytes to keep in all, about half of them of each end
 */
export function createHeadTailBuffer(most: number): HeadTailBuffer {
  const half = Math.floor(most / 2);
  const head: Buffer[] = [];
  const tail: Buffer[] = [];
  const held = { head: 0, tail: 0, all: 0 };

  const add = (chunk: Buffer) => {
    held.all += chunk.length;
    const first = chunk.subarray(0, half - held.head);
    if (first.length > 0) head.push(first);
    held.head += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    tail.push(rest);
    held.tail += rest.length;
    // Whole chunks: the last one that is needed may begin before the half.
    while (held.tail - (tail[0]?.length ?? 0) >= half) held.tail -= tail.shift()?.length ?? 0;
  };

  const text = () => {
    const end = Buffer.concat(tail);
    if (held.all <= 2 * half) return Buffer.concat([...head, end]).toString('utf8');
    // At the ends of lines, where there are some: neither a word nor a character is cut.
    const before = cutAfterLastLine(Buffer.concat(head));
    const after = cutBeforeFirstLine(end.subarray(Math.max(0, end.length - half)));
    const missing = held.all - before.length - after.length;
    return `${before.toString('utf8')}${formatOmission(missing, held.all, 'bytes')}\n${after.toString('utf8')}`;
  };

  return { add, text };
}

const lineBreak = 0x0a;

function cutAfterLastLine(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf(lineBreak);
  return at === -1 ? bytes : bytes.subarray(0, at + 1);
}

function cutBeforeFirstLine(bytes: Buffer): Buffer {
  const at = bytes.indexOf(lineBreak);
  return at === -1 ? bytes : bytes.subarray(at + 1);
}
