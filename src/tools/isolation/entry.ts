/**
 * The first module of an isolated call, in its thread or its process: it loads the tool's module, and calls its function once.
 *
 * It is loaded for each call, so it imports little.
 */

import { Socket } from 'node:net';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { toSafeErrorMessage } from '../../core/redact/index.js';
import { createInnerContext, type InnerContext } from './inner-context.js';
import type { FromIsolate, ToIsolate } from './messages.js';
import { readMessages } from './read-messages.js';
import { toReturned, toSentError } from './send-values.js';

type IsolatedFunction = (input: unknown, context: InnerContext['context']) => unknown;

let execute: IsolatedFunction | null = null;
let inner: InnerContext | null = null;

const send = connect((message) => {
  if (message.type === 'load') void load(message);
  else if (message.type === 'run') void run(message);
  else inner?.receive(message);
});

/** Connects with the worker: by its port, or by the socket that the process got. */
function connect(receive: (message: ToIsolate) => void): (message: FromIsolate) => void {
  if (!isMainThread && parentPort !== null) {
    const port = parentPort;
    port.on('message', (text: string) => receive(JSON.parse(text) as ToIsolate));
    return (message) => port.postMessage(JSON.stringify(message));
  }
  const socket = new Socket({ fd: 3, readable: true, writable: true });
  socket.on('error', () => process.exit(1));
  // The worker has ended.
  socket.on('end', () => process.exit(1));
  readMessages(socket, (text) => receive(JSON.parse(text) as ToIsolate));
  return (message) => socket.write(`${JSON.stringify(message)}\n`);
}

async function load({ module, export: name, loader, parent, maxProcessBytes }: ToIsolate & { type: 'load' }) {
  if (isMainThread) watchProcess(parent, maxProcessBytes);
  try {
    const moduleExports: unknown =
      loader === null ? await import(module) : await (await import(loader)).tsImport(module, module);
    const exported = (moduleExports as Record<string, unknown>)[name];
    if (typeof exported !== 'function') throw new TypeError(`it exports no function ${name}`);
    execute = exported as IsolatedFunction;
    send({ type: 'ready' });
  } catch (error) {
    send({ type: 'notLoaded', message: toSafeErrorMessage(error).slice(0, 2_000) });
  }
}

async function run({ input, call }: ToIsolate & { type: 'run' }) {
  const context = createInnerContext(call, send);
  inner = context;
  try {
    const returned = toReturned(await execute?.(input, context.context));
    context.flush();
    send(returned);
  } catch (error) {
    send({ type: 'threw', error: toSentError(error) });
  }
}

/**
 * Ends the process when its worker has ended or it uses too much memory, even while its loop is blocked: so a thread of its own
 * looks. The limit of V8's heap leaves out buffers.
 */
function watchProcess(parent: number, maxProcessBytes: number): void {
  const watch = `
    const { parent, maxProcessBytes } = require('node:worker_threads').workerData;
    const { writeSync } = require('node:fs');
    setInterval(() => {
      const isLarge = process.memoryUsage.rss() > maxProcessBytes;
      if (!isLarge && (process.platform === 'win32' || process.ppid === parent)) return;
      try { if (isLarge) writeSync(2, '\\nout of memory\\n'); } catch {}
      // Its group: what the call started ends too.
      try { process.kill(-process.pid, 'SIGKILL'); } catch {}
      process.kill(process.pid, 'SIGKILL');
    }, 100);`;
  new Worker(watch, { eval: true, workerData: { parent, maxProcessBytes }, execArgv: [], stdout: false }).unref();
}
