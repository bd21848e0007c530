/**
 * Runs a tool's function in a thread or a process of its own, so that its faults do not reach the worker: endless loops, leaks,
 * crashes, output, results of any kind and size.
 *
 * It protects from faults, not from malice: the module has the rights of the worker.
 *
 * L5: the function is called only after the worker has sent `run`. An end before it is `NotDone`; any later end without a result
 * is an error, which leaves the outcome of an unsafe call unknown.
 */

import { check, LonghandError, toPlainText } from '../../core/lib/index.js';
import { toSafeErrorMessage } from '../../core/redact/index.js';
import { markRunsIn, NotDone, type PersonQuestion, prepareNotDone, type ToolContext } from '../define/index.js';
import { createHeadTailBuffer, createLineLog } from '../process/index.js';
import { type FromIsolate, type IsolatedCall, parseFromIsolate, type ToIsolate } from './messages.js';
import { fromReturned, fromSentError } from './receive-values.js';
import { toSentError } from './send-values.js';
import { findModule, type Isolate, type IsolateStart, startProcess, startThread } from './start.js';

export interface IsolateOptions<Secret extends string = never> {
  /**
   * The module with the function: `new URL('./resize.js', import.meta.url)`. If it is not compiled, `resize.ts` beside it is
   * found.
   */
  readonly module: URL;
  /** The name of the exported function. */
  readonly export: string;
  /**
   * Megabytes that it may use, 256 by default. In a thread, those of JavaScript values; buffers have no limit. In a process, also
   * all memory together: 128 MB more.
   */
  readonly memoryMb?: number;
  /** Names of the tool's secrets that are passed to it. */
  readonly secrets?: readonly Secret[];
}

const checkOptions = check.members<IsolateOptions<string>>({
  module: check.define(
    (value) => value instanceof URL && value.protocol === 'file:',
    "must be the URL of a file: new URL('./resize.js', import.meta.url)",
  ),
  export: check.nonEmptyText,
  memoryMb: check.integerWithin(16, 1_000_000),
  secrets: check.list(check.nonEmptyText),
});

const defaultMemoryMb = 256;
/** Megabytes of a process in addition to its JavaScript values: Node itself and buffers. */
const processOverheadMb = 128;
/** Milliseconds for a cancelled function to end by itself. */
const abortGraceMs = 2_000;
/** Milliseconds to wait for a killed thread: native code cannot be interrupted. */
const endMs = 1_000;
/** Bytes of standard error that are kept for the message of a crash. */
const errorBytes = 4 * 1024;

/**
 * Returns an `execute` that calls a function of another module in a new thread or process, which ends with the call.
 *
 * The function has the arguments and the context of `execute`. Arguments and result are JSON, files in the result included. A call
 * that is cancelled or reaches its timeout has two seconds to end, then the thread is terminated, or the process with all that
 * it started is killed.
 *
 * @throws {LonghandError} `invalid_options`
 * @example
 * // resize.ts
 * export const resize = async ({ url, width }: ResizeInput, { signal, emit }: ToolContext) => …;
 * // tools.ts
 * defineTool({
 *   name: 'resize_image',
 *   …
 *   execute: isolate('thread', { module: new URL('./resize.js', import.meta.url), export: 'resize' }),
 * })
 */
export function isolate<const Secret extends string = never>(
  kind: 'thread' | 'process',
  options: IsolateOptions<Secret>,
): (input: unknown, context: ToolContext<Secret>) => Promise<unknown> {
  const invalid = (problem: string) => new LonghandError('invalid_options', `isolate: ${problem}.`);
  if (kind !== 'thread' && kind !== 'process') throw invalid("the first argument must be 'thread' or 'process'");
  check.assertNoProblem(
    checkOptions({ ...options, module: options?.module ?? null, export: options?.export ?? '' }, ''),
    'isolate',
  );
  const execute = (input: unknown, context: ToolContext<Secret>) => runIsolated({ kind, options, input, context });
  return markRunsIn(execute, `a ${kind} of its own, which ends with the call`);
}

interface IsolatedRun<Secret extends string> {
  readonly kind: 'thread' | 'process';
  readonly options: IsolateOptions<Secret>;
  readonly input: unknown;
  readonly context: ToolContext<Secret>;
}

async function runIsolated<Secret extends string>(run: IsolatedRun<Secret>): Promise<unknown> {
  const { kind, options, context } = run;
  const { signal, log } = context;
  const { memoryMb = defaultMemoryMb } = options;
  if (signal.aborted) throw new NotDone(`${options.export} did not run: it was stopped before.`);
  const { load, called } = prepareNotDone(options.export, () => prepareMessages(run));
  const errors = createHeadTailBuffer(errorBytes);
  const lines = { stdout: createLineLog((line) => log.info(line)), stderr: createLineLog((line) => log.warn(line)) };
  const result = createSettlable();
  let isCalled = false;

  const receive = (message: FromIsolate): void => {
    if (message.type === 'ready' && !isCalled && !signal.aborted) {
      isCalled = true;
      isolate.send(called);
    } else if (message.type === 'notLoaded')
      result.reject(new NotDone(`${options.export} did not run: its module does not load: ${message.message}`));
    else if (message.type === 'returned') result.resolve(fromReturned(message));
    else if (message.type === 'threw') result.reject(fromSentError(message.error));
    else passOnSafely(message, context as ToolContext<string>, isolate);
  };
  const listeners: IsolateStart = {
    memoryMb,
    onMessage: (text) => {
      try {
        const message = parseFromIsolate(text);
        if (message !== null && !result.isSettled()) receive(message);
      } catch (error) {
        // Here it would end the worker.
        result.reject(error);
      }
    },
    onOutput: (chunk, from) => {
      if (from === 'stderr') errors.add(chunk);
      lines[from].add(chunk);
    },
  };
  const start = kind === 'thread' ? startThread : startProcess;
  const isolate = prepareNotDone(options.export, () => start(listeners));
  isolate.send(load);
  const stop = () => {
    isolate.send(toText({ type: 'abort', reason: toSafeErrorMessage(signal.reason) }));
    setTimeout(isolate.kill, isCalled ? abortGraceMs : 0).unref();
    setTimeout(() => result.reject(signal.reason), abortGraceMs + endMs).unref();
  };
  signal.addEventListener('abort', stop, { once: true });
  void isolate.ended.then((how) => {
    const reported = toPlainText(errors.text()).trim();
    const message = `${options.export} ${how} before it returned.${reported === '' ? '' : `\n${reported}`}`;
    if (!isCalled) result.reject(new NotDone(message));
    else result.reject(signal.aborted ? signal.reason : new Error(message));
  });
  try {
    return await result.promise;
  } finally {
    isolate.kill();
    signal.removeEventListener('abort', stop);
    lines.stdout.end();
    lines.stderr.end();
  }
}

/** A promise that is settled from outside, once. */
function createSettlable() {
  let settled = false;
  let settle: { readonly resolve: (value: unknown) => void; readonly reject: (reason: unknown) => void };
  const promise = new Promise<unknown>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return {
    promise,
    isSettled: () => settled,
    resolve: (value: unknown) => {
      settled = true;
      settle.resolve(value);
    },
    reject: (reason: unknown) => {
      settled = true;
      settle.reject(reason);
    },
  };
}

/** Arguments need not be JSON: a schema may convert them to anything. */
function prepareMessages<Secret extends string>(
  run: IsolatedRun<Secret>,
): { readonly load: string; readonly called: string } {
  const { module, export: name, memoryMb = defaultMemoryMb } = run.options;
  const maxProcessBytes = (memoryMb + processOverheadMb) * 1_000_000;
  return {
    load: toText({ type: 'load', ...findModule(module), export: name, parent: process.pid, maxProcessBytes }),
    called: toText({ type: 'run', input: run.input, call: toCall(run) }),
  };
}

function toText(message: ToIsolate): string {
  return JSON.stringify(message);
}

function toCall<Secret extends string>({ options, context }: IsolatedRun<Secret>): IsolatedCall {
  const { idempotencyKey, attempt, chainId, tenant, user, roles, step } = context;
  const secrets = Object.fromEntries((options.secrets ?? []).map((name) => [name, context.secret(name)]));
  return { idempotencyKey, attempt, chainId, tenant, user, roles, step, secrets };
}

/** An error of a context, such as one of the user's logger, would end the worker here. */
function passOnSafely(...passed: Parameters<typeof passOn>): void {
  try {
    passOn(...passed);
  } catch {
    // The message is lost.
  }
}

/** Passes a message on to the call's own context. */
function passOn(message: FromIsolate, context: ToolContext<string>, isolate: Isolate): void {
  if (message.type === 'log') context.log[message.level](message.message, message.fields);
  else if (message.type === 'emit') context.emit(message.value);
  else if (message.type === 'heartbeat') context.heartbeat(message.value);
  else if (message.type === 'visibility') context.visibility(message.level as 'summary', message.summary);
  else if (message.type === 'ask') void askPerson(message, context).then(toText).then(isolate.send);
  else if (message.type === 'artifact') void storeArtifact(message, context).then(toText).then(isolate.send);
}

async function storeArtifact(
  { id, file: { name, data, mediaType } }: FromIsolate & { readonly type: 'artifact' },
  { artifact }: Pick<ToolContext, 'artifact'>,
): Promise<ToIsolate> {
  try {
    const file = await artifact(name, Buffer.from(data, 'base64'), mediaType === undefined ? {} : { mediaType });
    return { type: 'stored', id, file };
  } catch (error) {
    return { type: 'notStored', id, error: toSentError(error) };
  }
}

async function askPerson(
  { id, question }: FromIsolate & { readonly type: 'ask' },
  { ask }: Pick<ToolContext, 'ask'>,
): Promise<ToIsolate> {
  try {
    return { type: 'answered', id, answer: await ask(question as unknown as PersonQuestion) };
  } catch (error) {
    return { type: 'notAnswered', id, error: toSentError(error) };
  }
}
