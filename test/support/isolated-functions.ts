/** Functions that run in a thread or a process of their own, with every fault that a tool may have. */

import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { ToolContext } from '../../src/index.js';
// The package's entry would load the worker for each call.
import { NotDone, ToolError } from '../../src/tools/define/errors.js';
import { file } from '../../src/tools/define/file.js';

type Context = ToolContext<string>;

/** Blocks the loop, but not the processor, which other tests need. */
const pauseLoop = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);

export const double = ({ n }: { n: number }) => n * 2;

export const block = ({ ms, file }: { ms: number; file?: string }, { emit }: Context) => {
  emit('begun');
  if (file !== undefined) writeFileSync(file, String(process.pid));
  for (const end = performance.now() + ms; performance.now() < end; ) pauseLoop();
  return 'done blocking';
};

/** Blocks until the file exists. */
export const blockUntil = ({ file }: { file: string }) => {
  while (!existsSync(file)) pauseLoop();
  return 'done blocking';
};

export const hang = (_: unknown, { signal, emit }: Context) =>
  new Promise((_resolve, reject) => {
    emit('begun');
    signal.addEventListener('abort', () => reject(new Error(`stopped: ${(signal.reason as Error).message}`)));
    setInterval(() => {}, 1_000);
  });

export const leak = () => {
  const all: unknown[] = [];
  for (;;) all.push(Array.from({ length: 10_000 }, (_, index) => ({ index, text: `text ${index}` })));
};

export const leakBuffers = () => {
  const all: Buffer[] = [];
  for (;;) all.push(Buffer.alloc(10_000_000, 1));
};

export const exit = () => process.exit(3);
export const crash = async () => {
  setTimeout(() => {
    throw new Error('thrown by a timer');
  });
  await new Promise(() => {});
};
export const reject = async () => {
  void Promise.reject(new Error('rejected by nobody'));
  await new Promise((resolve) => setTimeout(resolve, 60_000));
};
export const spawnSleeper = ({ file }: { file: string }) => {
  writeFileSync(file, String(spawn('sleep', ['600'], { stdio: 'ignore' }).pid));
  return 'spawned';
};

export const spawnAndBlock = (input: { ms: number; file: string; started: string }, context: Context) => {
  spawnSleeper({ file: input.started });
  return block(input, context);
};

class CityError extends Error {
  override name = 'CityError';
}
const thrown: Record<string, () => unknown> = {
  undefined: () => undefined,
  text: () => 'a text',
  error: () => new CityError('no city', { cause: new TypeError('why') }),
  typeError: () => new TypeError('no type'),
  notDone: () => new NotDone('nothing happened', { permanent: true }),
  toolError: () => new ToolError('choose another', { fatal: true }),
  getters: () => Object.defineProperty(new Error('x'), 'message', { get: () => thrown.never!() }),
  proxy: () =>
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap');
        },
        getPrototypeOf: () => {
          throw new Error('trap');
        },
      },
    ),
};
export const throwing = ({ what }: { what: string }) => {
  throw thrown[what]!();
};

const returned: Record<string, () => unknown> = {
  undefined: () => undefined,
  null: () => null,
  function: () => () => 1,
  symbols: () => ({ [Symbol('key')]: 1, value: Symbol('value'), shown: 1 }),
  bigint: () => ({ big: 10n }),
  cycle: () => {
    const value: Record<string, unknown> = {};
    value.self = value;
    return value;
  },
  stream: () => Readable.from(['a', 'b']),
  getter: () => ({
    get broken() {
      throw new Error('getter');
    },
  }),
  proxy: () =>
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('trap');
        },
      },
    ),
  huge: () => 'x'.repeat(100_000_000),
  deep: () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 5_000; depth++) value = [value];
    return value;
  },
  deeper: () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 1_000_000; depth++) value = { value };
    return value;
  },
  date: () => new Date(0),
  nan: () => [Number.NaN, Number.POSITIVE_INFINITY, -0],
  surrogate: () => '\ud800 alone',
  proto: () => JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') as unknown,
  files: () => ({ page: file({ name: 'page.txt', data: 'content' }) }),
};
export const returning = ({ what }: { what: string }) => returned[what]!();

export const print = () => {
  for (let line = 1; line <= 5_000; line++) console.log(`line ${line}`);
  console.error('an error line');
  process.stdout.write('x'.repeat(1_000_000));
  return 'printed';
};

export const flood = (_: unknown, { emit, heartbeat, log, visibility }: Context) => {
  for (const end = performance.now() + 1_000; performance.now() < end; ) {
    emit({ at: performance.now() });
    heartbeat(performance.now());
    log.info('line', { at: performance.now() });
    visibility('summary', `at ${performance.now()}`);
  }
  return 'flooded';
};

export const useContext = async (_: unknown, context: Context) => {
  const { signal: _signal, ...rest } = context;
  context.emit('half way');
  context.heartbeat({ row: 1 });
  context.log.warn('careful', { row: 1 });
  context.visibility('summary', 'Used the context');
  const stored = await context.artifact('a.csv', 'a,b', { mediaType: 'text/csv' });
  const notStored = await context.artifact('bad.csv', Buffer.from([1, 2])).catch((error: Error) => error.message);
  const answer = await context.ask({ question: 'Who?' });
  const noAnswer = await context.ask({ question: 'Why?' }).catch((error: Error) => `${error.name}: ${error.message}`);
  let undeclared = '';
  try {
    context.secret('OTHER');
  } catch (error) {
    undeclared = (error as Error).message;
  }
  return {
    ...(JSON.parse(JSON.stringify(rest)) as object),
    ...{ secret: context.secret('KEY'), undeclared, stored, notStored, answer, noAnswer },
  };
};
