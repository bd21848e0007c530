/** `isolate`: no fault of a function in its own thread or process reaches the one that called it. */

import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../../src/core/lib/json.js';
import { type IsolateOptions, isolate as isolateUncompiled } from '../../../src/entries/tools.js';
import { defineTool, NotDone, type ToolContext } from '../../../src/index.js';
import { fromReturned } from '../../../src/tools/isolation/receive-values.js';
import { loadBuiltIsolate } from '../../support/built-isolate.js';
import { contextOf } from '../../support/call-tool.js';
import { isAlive } from '../../support/is-alive.js';
import { matchError } from '../../support/match-error.js';

const uncompiled = new URL('../../support/isolated-functions.js', import.meta.url);
const { isolate, entry, module } = await loadBuiltIsolate();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhand-isolate-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const kinds = ['thread', 'process'] as const;
type Kind = (typeof kinds)[number];

const call = (
  kind: Kind,
  name: string,
  input: object = {},
  context: Partial<ToolContext<string>> = {},
  options: Partial<IsolateOptions<string>> = {},
) => isolate<string>(kind, { module, export: name, ...options })(input, contextOf(context));

const fail = (...args: Parameters<typeof call>) =>
  call(...args).then(
    (value) => `returned ${JSON.stringify(value)}`,
    (error: Error) => `${error.name}: ${error.message}`,
  );

/** The longest time that this process's loop was blocked while `work` ran, in milliseconds. */
async function measureBlocking(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 10);
  await work();
  clearInterval(timer);
  return longest;
}

describe.each(kinds)('in a %s', (kind) => {
  it('a function of a TypeScript module is called with the arguments', async () => {
    const options = { module: uncompiled, export: 'double' };
    expect(await isolateUncompiled<string>(kind, options)({ n: 21 }, contextOf({}))).toBe(42);
    const tool = defineTool({
      name: 'double',
      description: 'Doubles',
      inputSchema: z.object({ n: z.number() }),
      effects: 'pure',
      // The compiled package finds the same module.
      execute: isolate(kind, options),
    });
    expect(await tool.execute({ n: 4 })).toBe(8);
  });

  it('a blocked loop blocks no other', async () => {
    let result: unknown;
    const longest = await measureBlocking(async () => {
      result = await call(kind, 'block', { ms: 1_500 });
    });
    expect(result).toBe('done blocking');
    expect(longest).toBeLessThan(1_000);
  });

  it('a cancelled function may end by itself; one that does not is ended', async () => {
    /** Cancels a call that has begun. */
    const cancel = () => {
      const stop = new AbortController();
      return { signal: stop.signal, emit: () => stop.abort(new Error('cancelled')) };
    };
    expect(await fail(kind, 'hang', {}, cancel())).toBe('Error: stopped: cancelled');
    const started = performance.now();
    expect(await fail(kind, 'block', { ms: 60_000 }, cancel())).toBe('Error: cancelled');
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('a cancel before it is called is NotDone', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    expect(await fail(kind, 'double', { n: 1 }, { signal })).toBe(
      'NotDone: double did not run: it was stopped before.',
    );
    const soon = new AbortController();
    const running = fail(kind, 'double', { n: 1 }, { signal: soon.signal });
    soon.abort(new Error('cancelled'));
    expect(await running).toMatch(/^NotDone: double .* before it returned/);
  });

  it.each([
    ['leak', /^Error: leak ran out of memory: it may use 32 MB/],
    ['exit', /^Error: exit exited with code 3 before it returned/],
    ['crash', /^Error: crash .*thrown by a timer/s],
    ['reject', /^Error: reject .*rejected by nobody/s],
  ])('%s is an error of the call alone', async (name, expected) => {
    expect(await fail(kind, name, {}, {}, { memoryMb: 32 })).toMatch(expected);
  });

  it('errors keep their cause, their place and whether they end the chain', async () => {
    const error = (await call(kind, 'throwing', { what: 'error' }).catch((caught: unknown) => caught)) as Error;
    expect(error.cause).toMatchObject({ name: 'TypeError', message: 'why' });
    expect(error.stack).toContain('isolated-functions');
    expect(await call(kind, 'throwing', { what: 'toolError' }).catch((caught: unknown) => caught)).toMatchObject({
      fatal: true,
      permanent: false,
    });
    expect(await call(kind, 'throwing', { what: 'notDone' }).catch((caught: unknown) => caught)).toMatchObject({
      permanent: true,
    });
  });

  it('output is logged, within a limit, and not printed', async () => {
    const logged: string[] = [];
    const log = { info: (line: string) => logged.push(line), warn: (line: string) => logged.push(`! ${line}`) };
    expect(await call(kind, 'print', {}, { log: log as unknown as ToolContext['log'] })).toBe('printed');
    // The output may arrive after the result, which has a pipe of its own.
    await expect.poll(() => logged).toContain('line 1');
    await expect.poll(() => logged).toContain('! an error line');
    expect(logged.length).toBeLessThanOrEqual(1_003);
  });

  it('endless messages reach the worker within limits', async () => {
    const counts = { emit: 0, heartbeat: 0, log: 0, visibility: 0 };
    const count = (name: keyof typeof counts) => () => {
      counts[name] += 1;
    };
    const log = { debug: count('log'), info: count('log'), warn: count('log'), error: count('log') };
    const context = { emit: count('emit'), heartbeat: count('heartbeat'), visibility: count('visibility'), log };
    expect(await call(kind, 'flood', {}, context)).toBe('flooded');
    expect(counts.emit).toBeGreaterThan(1);
    expect(counts.emit).toBeLessThan(20);
    expect(counts.heartbeat).toBeLessThan(20);
    expect(counts.log).toBe(1_000);
    expect(counts.visibility).toBeLessThanOrEqual(1_000);
  });

  it('the context works across the boundary', async () => {
    const seen: unknown[] = [];
    const context: Partial<ToolContext<string>> = {
      ...{ attempt: 2, tenant: 'acme', user: 'ann', roles: ['ops'], step: 4 },
      emit: (value) => seen.push(['emit', value]),
      heartbeat: (value) => seen.push(['heartbeat', value]),
      visibility: (...args) => seen.push(['visibility', ...args]),
      log: { warn: (...args: unknown[]) => seen.push(['warn', ...args]) } as unknown as ToolContext['log'],
      ask: (async ({ question }: { readonly question: string }) => {
        if (question === 'Why?') throw new NotDone('later');
        return 'Ada';
      }) as ToolContext['ask'],
      artifact: async (name, content, options) => {
        if (name === 'bad.csv') throw new Error('no store');
        return { name, digest: String(content), bytes: 3, mediaType: options?.mediaType ?? '' };
      },
    };
    expect(await call(kind, 'useContext', {}, context, { secrets: ['KEY'] })).toEqual({
      ...{ idempotencyKey: 'key', attempt: 2, chainId: 'chain', tenant: 'acme', user: 'ann', roles: ['ops'], step: 4 },
      log: {},
      secret: 'the secret KEY',
      undeclared: "The secret OTHER is not passed to this call. Add secrets: ['OTHER'] to its isolate.",
      stored: { name: 'a.csv', digest: 'a,b', bytes: 3, mediaType: 'text/csv' },
      notStored: 'no store',
      ...{ answer: 'Ada', noAnswer: 'NotDone: later' },
    });
    expect(seen).toEqual([
      ['emit', 'half way'],
      ['heartbeat', { row: 1 }],
      ['warn', 'careful', { row: 1 }],
      ['visibility', 'summary', 'Used the context'],
    ]);
  });

  it('arguments that are not JSON, or a secret that is missing, are NotDone', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(await fail(kind, 'double', { n: 1n })).toMatch(/^NotDone: double did not run: .*BigInt/);
    expect(await fail(kind, 'double', cycle)).toMatch(/^NotDone: double did not run: .*circular/s);
    const secret = () => {
      throw new TypeError('no secret KEY');
    };
    expect(await fail(kind, 'double', { n: 1 }, { secret }, { secrets: ['KEY'] })).toBe(
      'NotDone: double did not run: no secret KEY',
    );
  });

  it('a logger that throws loses lines, and nothing else', async () => {
    const raise = () => {
      throw new Error('the disk is full');
    };
    const log = { debug: raise, info: raise, warn: raise, error: raise };
    expect(await call(kind, 'print', {}, { log })).toBe('printed');
  });

  it('a module that is missing, fails to load or lacks the function is NotDone', async () => {
    const at = (path: string) => ({ module: new URL(path, import.meta.url) });
    expect(await fail(kind, 'x', {}, {}, at('./missing.js'))).toMatch(
      /^NotDone: The module of this tool does not exist/,
    );
    expect(await fail(kind, 'missing')).toBe(
      'NotDone: missing did not run: its module does not load: it exports no function missing',
    );
    expect(await fail(kind, 'x', {}, {}, at('../../../package.json'))).toMatch(/^NotDone: x did not run: its module/);
  });
});

/** Both kinds send the same texts. */
describe('any value', () => {
  it.each([
    ['undefined', 'Error: undefined'],
    ['text', 'Error: a text'],
    ['error', 'CityError: no city'],
    ['typeError', 'TypeError: no type'],
    ['notDone', 'NotDone: nothing happened'],
    ['toolError', 'ToolError: choose another'],
    ['getters', 'Error: a value that cannot be written'],
    ['proxy', 'Error: a value that cannot be written'],
  ])('%s may be thrown', async (what, expected) => {
    expect(await fail('thread', 'throwing', { what })).toBe(expected);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['function', null],
    ['symbols', { shown: 1 }],
    ['bigint', expect.stringMatching(/^done, but the result cannot be converted to JSON: .*BigInt/)],
    ['cycle', expect.stringMatching(/^done, but the result cannot be converted to JSON: .*circular/s)],
    ['stream', expect.anything()],
    ['getter', 'done, but the result cannot be converted to JSON: getter'],
    ['proxy', 'done, but the result cannot be converted to JSON: trap'],
    ['huge', expect.stringMatching(/^done, but the result is too large: 101 MB of JSON/)],
    ['deeper', expect.stringMatching(/^done, but the result cannot be converted to JSON: .*call stack/)],
    ['date', '1970-01-01T00:00:00.000Z'],
    ['nan', [null, null, 0]],
    ['surrogate', '\ud800 alone'],
    ['proto', JSON.parse('{"__proto__":{"polluted":1},"constructor":2}')],
    ['files', { page: expect.objectContaining({ name: 'page.txt', data: Buffer.from('content') }) }],
  ])('%s may be returned', async (what, expected) => {
    expect(await call('thread', 'returning', { what }, {}, { memoryMb: 1_024 })).toEqual(expected);
    expect(({} as { polluted?: number }).polluted).toBe(undefined);
  });
});

it('a result that is too deep for this thread is a text', () => {
  let value: Json = { at: 0 };
  for (let depth = 0; depth < 100_000; depth += 1) value = [value];
  const files = [{ name: 'a.txt', data: '' }];
  expect(fromReturned({ type: 'returned', value, files, mark: 'file' })).toMatch(
    /^done, but the result cannot be read/,
  );
});

describe('in a process alone', () => {
  it('it is NotDone where it cannot start: without free file descriptors', async () => {
    const code = `
      import { openSync } from 'node:fs';
      import { isolate } from '${entry}';
      const call = isolate('process', { module: new URL('${uncompiled}'), export: 'double' });
      try {
        for (;;) openSync('/dev/null', 'r');
      } catch {}
      await call({ n: 1 }, { signal: new AbortController().signal, log: {} }).then(console.log, (error) => {
        console.log(error.name + ': ' + error.message);
      });`;
    const limited = 'ulimit -n 128 && exec "$0" --input-type=module -e "$1"';
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', limited, process.execPath, code]);
    expect(stdout.trim()).toMatch(/^NotDone: double did not start: spawn .*EMFILE before it returned\.$/);
  });

  it('buffers count as memory', async () => {
    expect(await fail('process', 'leakBuffers', {}, {}, { memoryMb: 64 })).toMatch(
      /^Error: leakBuffers ran out of memory/,
    );
  });

  it('it ends with all that it started when the process that called it does, even while it blocks: compiled, with a module in TypeScript', async () => {
    const path = join(folder, 'orphan');
    const ignore = '() => {}';
    const log = `{ info: ${ignore}, warn: ${ignore} }`;
    const code = `
      import { isolate } from '${entry}';
      const block = isolate('process', { module: new URL('${uncompiled}'), export: 'spawnAndBlock' });
      const input = { ms: 600_000, file: ${JSON.stringify(path)}, started: ${JSON.stringify(`${path}-started`)} };
      await block(input, { signal: new AbortController().signal, log: ${log}, emit: ${ignore} });`;
    const caller = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
    const readPid = () => readFile(path, 'utf8').then(Number, () => 0);
    await expect.poll(readPid).toBeGreaterThan(0);
    const pid = await readPid();
    expect(isAlive(pid)).toBe(true);
    const started = Number(await readFile(`${path}-started`, 'utf8'));
    expect(isAlive(started)).toBe(true);
    caller.kill('SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
    await expect.poll(() => isAlive(started)).toBe(false);
  });

  it('processes that the function started end with the call', async () => {
    const path = join(folder, 'sleeper');
    expect(await call('process', 'spawnSleeper', { file: path })).toBe('spawned');
    const pid = Number(await readFile(path, 'utf8'));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

it.each([
  ['fork', { module, export: 'x' }, /must be 'thread' or 'process'/],
  ['thread', { export: 'x' }, /module must be the URL of a file/],
  ['thread', { module: './x.js', export: 'x' }, /module must be the URL of a file/],
  ['thread', { module: new URL('https://example.com/x.js'), export: 'x' }, /module must be the URL of a file/],
  ['thread', { module }, /export must be a text that is not empty/],
  ['thread', { module, export: 'x', memoryMb: 1 }, /memoryMb must be a whole number from 16/],
  ['thread', { module, export: 'x', timeout: 1 }, /timeout is unknown/],
] as const)('isolate(%j, %j) is rejected', (kind, options, message) => {
  expect(() => isolate(kind as 'thread', options as never)).toThrow(matchError('invalid_options', message));
});
