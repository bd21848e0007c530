/** Starts the thread or the process of one call. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { toSafeErrorMessage } from '../../core/redact/index.js';
import { isBuilt, resolveOwnModule } from '../../package/index.js';
import { NotDone } from '../define/index.js';
import { readMessages } from './read-messages.js';

export interface IsolateStart {
  readonly memoryMb: number;
  readonly onMessage: (text: unknown) => void;
  readonly onOutput: (chunk: Buffer, from: 'stdout' | 'stderr') => void;
}

/** A running thread or process. */
export interface Isolate {
  /** @param message a `ToIsolate` as JSON */
  readonly send: (message: string) => void;
  /** Ends it, also in a blocked loop. */
  readonly kill: () => void;
  /** Resolves with how it ended: `exited with code 1`. Never rejects. */
  readonly ended: Promise<string>;
}

const outOfMemory = (memoryMb: number) => `ran out of memory: it may use ${memoryMb} MB (memoryMb)`;

export function startThread({ memoryMb, onMessage, onOutput }: IsolateStart): Isolate {
  const worker = new Worker(createLaunchCode(), {
    ...{ eval: true, execArgv: [], stdout: true, stderr: true },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  let problem: string | null = null;
  worker.on('message', onMessage);
  worker.on('error', (error: Error & { readonly code?: unknown }) => {
    problem =
      error?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? outOfMemory(memoryMb) : `crashed: ${toSafeErrorMessage(error)}`;
  });
  worker.stdout.on('data', (chunk: Buffer) => onOutput(chunk, 'stdout'));
  worker.stderr.on('data', (chunk: Buffer) => onOutput(chunk, 'stderr'));
  return {
    send: (message) => worker.postMessage(message),
    kill: () => void worker.terminate().catch(() => {}),
    ended: new Promise((resolve) => {
      worker.once('exit', (code) => resolve(problem ?? `exited with code ${code}`));
    }),
  };
}

/** Milliseconds that an escaped process may keep the output open. */
const outputCloseMs = 500;

export function startProcess({ memoryMb, onMessage, onOutput }: IsolateStart): Isolate {
  let isOutOfMemory = false;
  const child = spawn(process.execPath, [`--max-old-space-size=${memoryMb}`, '-e', createLaunchCode()], {
    // A process group of its own: it is ended with all processes that it started.
    ...{ detached: true, windowsHide: true },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const failed = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`did not start: ${toSafeErrorMessage(error)}`));
  });
  // Without a process there may be no streams either.
  if (child.pid === undefined) return { send: () => {}, kill: () => {}, ended: failed };
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const channel = child.stdio[3] as Duplex;
  // A message that is too long, or a process that has ended.
  channel.on('error', kill);
  readMessages(channel, onMessage);
  const streams = [channel, child.stdout, child.stderr];
  for (const from of ['stdout', 'stderr'] as const)
    child[from]?.on('data', (chunk: Buffer) => {
      isOutOfMemory ||= from === 'stderr' && chunk.includes('out of memory');
      onOutput(chunk, from);
    });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', () => {
      kill();
      const escaped = setTimeout(() => {
        for (const stream of streams) stream?.destroy();
      }, outputCloseMs);
      child.once('close', () => clearTimeout(escaped));
    });
    child.once('close', (code, signal) => {
      if (isOutOfMemory) resolve(outOfMemory(memoryMb));
      else resolve(code === null ? `was ended by ${signal}` : `exited with code ${code}`);
    });
  });
  return { send: (message) => void channel.write(`${message}\n`), kill, ended };
}

interface FoundModule {
  readonly module: string;
  readonly loader: string | null;
}

/**
 * Finds the module of a tool, when it is called: clients import definitions on other machines. A module that is not compiled yet is
 * found by the name that it will have, as TypeScript imports it.
 *
 * @throws {NotDone} if it is missing
 */
export function findModule(module: URL): FoundModule {
  const source = module.href.replace(/\.([cm]?)js$/, '.$1ts');
  const href = [module.href, source].find((href) => existsSync(fileURLToPath(href)));
  if (href === undefined) throw new NotDone(`The module of this tool does not exist on the worker: ${module.pathname}`);
  return { module: href, loader: /\.[cm]?tsx?$/.test(href) ? getLoader() : null };
}

/** By its path: `require` would find the CommonJS form, which cannot register itself in a thread. */
function getLoader(): string {
  try {
    const tsx = createRequire(import.meta.url).resolve('tsx/package.json');
    return new URL('dist/esm/api/index.mjs', pathToFileURL(tsx)).href;
  } catch (cause) {
    throw new Error('A tool whose module is TypeScript needs the package tsx: npm install tsx', { cause });
  }
}

/** The code that loads `entry`, which is TypeScript where Longhand itself is not compiled. */
function createLaunchCode(): string {
  const entry = JSON.stringify(pathToFileURL(resolveOwnModule('tools/isolation/entry', import.meta.url)).href);
  if (isBuilt) return `import(${entry})`;
  return `import(${JSON.stringify(getLoader())}).then(({ tsImport }) => tsImport(${entry}, ${entry}))`;
}
