/**
 * Runs a program until it exits or times out, and keeps the start and the end of its output.
 *
 * P1 Its process group ends with it, whether it exits, is aborted, or times out. Only a process that creates another group
 *    escapes.
 * P2 It never waits for a person: it has no terminal, and its input ends.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { formatOmission } from '../../core/lib/index.js';
import { maxTimerMs } from '../../timing/index.js';

export interface CommandOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Its standard input. Default: none. */
  readonly input?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer, from: 'stdout' | 'stderr') => void;
}

/** How the program ended: with an exit code, by a signal, or by the timeout. */
export type CommandEnd =
  | { readonly by: 'exit'; readonly code: number }
  | { readonly by: 'signal'; readonly name: string }
  | { readonly by: 'timeout' };

/** The program was not started: not found, or not executable. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted';
}

/** Milliseconds between SIGTERM and SIGKILL. */
const killDelayMs = 2_000;
/** Milliseconds that an escaped process may keep the output open. */
const outputCloseMs = 500;

/**
 * @throws {NotStarted} if certainly nothing was run
 * @throws the signal's reason, once the process group has ended
 */
export async function runCommand(command: CommandOptions): Promise<CommandEnd> {
  const { signal, timeoutMs } = command;
  if (signal.aborted) throw new NotStarted('it was stopped before it started', { cause: signal.reason });
  const child = spawnCommand(command);
  const closed = waitForExit(child);
  let late = false;
  const stop = () => endGroup(child);
  const timer = setTimeout(
    () => {
      late = true;
      stop();
    },
    Math.min(timeoutMs, maxTimerMs),
  );
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

function spawnCommand({ file, args, cwd, env, input, onOutput }: CommandOptions): ChildProcess {
  try {
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const child = spawn(file, args, { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'], windowsHide: true });
    // A program need not read its input.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
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
      // P1, for background processes. Earlier output is still in the pipes and is read.
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
    // The group has ended.
  }
}

export interface HeadTailBuffer {
  readonly add: (chunk: Buffer) => void;
  readonly text: () => string;
  /** Whether bytes between the start and the end are omitted. */
  readonly isClipped: () => boolean;
}

/**
 * Creates a buffer that keeps the start and the end of an output and counts the bytes between them. The start shows what
 * ran; the end contains the errors of compilers and tests.
 *
 * @param max bytes to keep in total, about half of them for each end
 */
export function createHeadTailBuffer(max: number): HeadTailBuffer {
  const half = Math.floor(max / 2);
  const head: Buffer[] = [];
  const tail: Buffer[] = [];
  const sizes = { head: 0, tail: 0, all: 0 };

  const add = (chunk: Buffer) => {
    sizes.all += chunk.length;
    const first = chunk.subarray(0, half - sizes.head);
    if (first.length > 0) head.push(first);
    sizes.head += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    tail.push(rest);
    sizes.tail += rest.length;
    // Drops whole chunks only: the oldest one that is needed may start before the half.
    while (sizes.tail - (tail[0]?.length ?? 0) >= half) sizes.tail -= tail.shift()?.length ?? 0;
  };

  const isClipped = () => sizes.all > 2 * half;
  const text = () => {
    const end = Buffer.concat(tail);
    if (!isClipped()) return Buffer.concat([...head, end]).toString('utf8');
    // Cuts at line ends if possible, so that no word or character is split.
    const before = cutAfterLastLine(Buffer.concat(head));
    const after = cutBeforeFirstLine(end.subarray(Math.max(0, end.length - half)));
    const missing = sizes.all - before.length - after.length;
    return `${before.toString('utf8')}${formatOmission(missing, sizes.all, 'bytes')}\n${after.toString('utf8')}`;
  };

  return { add, text, isClipped };
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
