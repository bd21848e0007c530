/** `commandTool` with real processes: its results, its failures, and what a call cannot reach. */

import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CommandToolOptions, commandTool } from '../../../src/entries/tools.js';
import type { ToolContext } from '../../../src/index.js';
import { contextOf } from '../../support/call-tool.js';
import { isAlive } from '../../support/is-alive.js';
import { matchError } from '../../support/match-error.js';

let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'longhand-program-')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const anything = z.looseObject({});

/** A tool that runs a script of the shell. The script is the definition's. */
const programOf = (script: string, options: Partial<CommandToolOptions<typeof anything>> = {}) =>
  commandTool({
    name: 'program',
    description: 'Runs a program',
    command: '/bin/sh',
    args: ['-c', script],
    cwd: folder,
    inputSchema: anything,
    effects: 'read',
    ...options,
  });

const callProgram = async (
  script: string,
  {
    input = {},
    context = {},
    ...options
  }: Partial<CommandToolOptions<typeof anything>> & {
    input?: object;
    context?: Partial<ToolContext<string>>;
  } = {},
) => programOf(script, options).parse(input)(contextOf(context));

const failProgram = (...args: Parameters<typeof callProgram>) =>
  callProgram(...args).then(
    (value) => `returned ${JSON.stringify(value)}`,
    (error: Error) => `${error.name}: ${error.message}`,
  );

describe('a call of a program', () => {
  it('passes the arguments as one JSON object, and returns JSON or text', async () => {
    expect(await callProgram('cat', { input: { city: 'São Paulo', n: 1 } })).toEqual({ city: 'São Paulo', n: 1 });
    expect(await callProgram('printf "  12\n"')).toBe(12);
    expect(await callProgram('echo done: 3 rows')).toBe('done: 3 rows');
    expect(await callProgram('printf "\\033[31mred\\033[0m"')).toBe('red');
    expect(await callProgram('true')).toBe(undefined);
    expect(await callProgram('pwd')).toBe(folder);
  });

  it('is NotDone if its arguments are not JSON, and its log may fail', async () => {
    const inputSchema = z.object({ n: z.number().transform(BigInt) }) as unknown as typeof anything;
    expect(await failProgram('touch ran', { input: { n: 1 }, inputSchema, effects: 'unsafe' })).toMatch(
      /^NotDone: program did not run: .*BigInt/,
    );
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    const info = () => {
      throw new Error('the disk is full');
    };
    const context = { log: { info } as unknown as ToolContext['log'] };
    expect(await callProgram('echo a line >&2; echo ok', { context })).toBe('ok');
  });

  it('may take weeks', async () => {
    expect(await callProgram('sleep 0.1; echo ok', { timeout: '30d' })).toBe('ok');
  });

  it('checks the result by its schema', async () => {
    const outputSchema = z.object({ rows: z.int() });
    expect(await callProgram('echo "{\\"rows\\":3}"', { outputSchema })).toEqual({ rows: 3 });
    expect(await failProgram('echo three', { outputSchema })).toMatch(/^ToolError: program returned an invalid result/);
  });

  it('needs no reader of its input', async () => {
    expect(await callProgram('echo ok', { input: { text: 'x'.repeat(1_000_000) } })).toBe('ok');
  });

  it.each([
    ['read', 1, 'Error: program failed with exit code 1.\nwhy'],
    ['unsafe', 1, 'Error: program failed with exit code 1.\nwhy'],
    ['read', 65, 'NotDone: program failed with exit code 65.\nwhy'],
    ['unsafe', 65, 'NotDone: program failed with exit code 65.\nwhy'],
    ['idempotent', 75, 'Error: program failed with exit code 75.\nwhy'],
    ['unsafe', 75, 'NotDone: program failed with exit code 75.\nwhy'],
  ] as const)('%s, exit code %i: %j', async (effects, code, expected) => {
    expect(await failProgram(`echo why >&2; exit ${code}`, { effects })).toBe(expected);
  });

  it('that ends by a signal or at its time limit fails', async () => {
    expect(await failProgram('kill -9 $$')).toBe('Error: program was ended by SIGKILL.');
    expect(await failProgram('sleep 60', { timeout: 200 })).toBe(
      'Error: program was ended by its time limit of 0.2 seconds.',
    );
  });

  it('that cannot be started did not happen', async () => {
    expect(await failProgram('', { command: 'no-such-program', effects: 'unsafe' })).toBe(
      'NotDone: program did not run: no-such-program: ENOENT',
    );
    const signal = AbortSignal.abort(new Error('cancelled'));
    expect(await failProgram('touch started', { context: { signal } })).toMatch(
      /^NotDone: .*stopped before it started/,
    );
    expect(existsSync(join(folder, 'started'))).toBe(false);
  });

  it('logs standard error in lines', async () => {
    const logged: string[] = [];
    const log = { debug: () => {}, info: (line: string) => logged.push(line), warn: () => {}, error: () => {} };
    await callProgram('printf "one\ntwo" >&2', { context: { log: log as ToolContext['log'] } });
    expect(logged).toEqual(['one', 'two']);
  });
});

describe('attacks on a program', () => {
  it.each([
    '$(touch pwned)',
    '`touch pwned`',
    '; touch pwned',
    '| touch pwned',
    '--config=pwned',
    '-c touch pwned',
    '\n touch pwned\n',
    "' ; touch pwned ; '",
    '../../etc/passwd',
    '%PATH%',
  ])('the argument %j is data', async (text) => {
    expect(await callProgram('cat', { input: { text } })).toEqual({ text });
    // Neither an argument nor a variable of the program has it.
    const shown = (await callProgram('echo "$@"; echo "$0"; env', { input: { text } })) as string;
    expect(shown).not.toContain(text.trim());
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  it('names of arguments are no variables', async () => {
    const input = { LD_PRELOAD: '/tmp/evil.so', PATH: '/tmp', NODE_OPTIONS: '--require=/tmp/evil.js' };
    expect(await callProgram('env', { input })).not.toMatch(/evil|PATH=\/tmp\n/);
  });

  it('has no variable of the worker that is not named', async () => {
    process.env.LONGHAND_TEST_API_KEY = 'canary-0123456789';
    process.env.LONGHAND_TEST_REGION = 'eu';
    try {
      const shown = (await callProgram('env', { passEnv: ['LONGHAND_TEST_REGION'], env: { MODE: 'fast' } })) as string;
      const names = shown.split('\n').map((line) => line.split('=')[0]);
      // The shell sets the last ones itself.
      const own = names.filter((name) => !/^(PWD|OLDPWD|SHLVL|_)$/.test(name!));
      expect(own.sort()).toEqual(['LONGHAND_IDEMPOTENCY_KEY', 'LONGHAND_TEST_REGION', 'MODE', 'PATH']);
    } finally {
      delete process.env.LONGHAND_TEST_API_KEY;
      delete process.env.LONGHAND_TEST_REGION;
    }
  });

  it('its credentials are masked in results, texts and failures', async () => {
    const secret = () => 'canary-of-the-crm-0123456789';
    const options = {
      secrets: { API_KEY: 'CRM_KEY' },
      env: { DB_PASSWORD: 'canary-of-the-db-0123456789' },
      context: { secret },
    };
    const print = 'echo "{\\"a\\":\\"$API_KEY\\",\\"b\\":\\"$DB_PASSWORD\\"}"';
    const marked = { a: '[redacted:secret]', b: '[redacted:secret]' };
    expect(await callProgram(print, options)).toEqual(marked);
    expect(await callProgram('echo "x $API_KEY"', options)).toBe('x [redacted:secret]');
    expect(await failProgram(`${print} >&2; exit 2`, options)).not.toContain('canary');
    expect(programOf('true', { secrets: { API_KEY: 'CRM_KEY' } }).secrets).toEqual(['CRM_KEY']);
  });

  it('its idempotency key is that of the call', async () => {
    expect(await callProgram('echo "$LONGHAND_IDEMPOTENCY_KEY"', { context: { idempotencyKey: 'k-1' } })).toBe('k-1');
  });

  it('a flood of output takes a bounded memory, and is a text without its middle', async () => {
    const before = process.memoryUsage().rss;
    const text = (await callProgram('head -c 200000000 /dev/zero | tr "\\0" a; echo; echo end', {
      maxOutputBytes: 10_000,
    })) as string;
    expect(text).toMatch(/bytes left out …\]\n/);
    expect(text.endsWith('end')).toBe(true);
    expect(text.length).toBeLessThan(20_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  it('a flood of errors fills neither the log nor the message', async () => {
    const logged: string[] = [];
    const log = { info: (line: string) => logged.push(line) } as unknown as ToolContext['log'];
    const message = await failProgram('seq 1 100000 >&2; exit 1', { context: { log } });
    expect(message).toMatch(/\n100000$/);
    expect(message.length).toBeLessThan(1_100);
    expect(logged.length).toBeLessThanOrEqual(1_001);
  });

  it('its grandchildren end with it: when it exits, at its time limit and when the call is cancelled', async () => {
    const pidOf = (name: string) => readFile(join(folder, name), 'utf8').then(Number, () => 0);
    await callProgram('sleep 600 & echo $! > a');
    await failProgram("trap '' TERM; sleep 600 & echo $! > b; wait", { timeout: 300 });
    const stop = new AbortController();
    const running = failProgram('(sleep 600 & echo $! > c; wait) & wait', { context: { signal: stop.signal } });
    await expect.poll(() => pidOf('c')).toBeGreaterThan(0);
    stop.abort(new Error('cancelled'));
    expect(await running).toBe('Error: cancelled');
    for (const name of ['a', 'b', 'c']) {
      const pid = await pidOf(name);
      await expect.poll(() => isAlive(pid)).toBe(false);
    }
  });
});

it.each([
  [{ command: '' }, 'invalid_options', /command must not be empty/],
  [{ command: undefined as never }, 'invalid_options', /command must be a program/],
  [{ args: ['a\0b'] }, 'invalid_options', /args.0 must be a text without zero bytes/],
  [{ env: { 'A-B': 'x' } }, 'invalid_options', /env must name variables of letters/],
  [{ env: { LONGHAND_IDEMPOTENCY_KEY: 'x' } }, 'invalid_options', /each call has its own/],
  [{ passEnv: ['A=B'] }, 'invalid_options', /passEnv.0 must name variables/],
  [{ secrets: { KEY: 'a b' } }, 'invalid_tool', /secrets.0 must be a name/],
  [{ maxOutputBytes: 0 }, 'invalid_options', /maxOutputBytes must be a whole number from 1/],
  [{ shell: true } as never, 'invalid_tool', /shell is unknown/],
] as const)('the definition %j is rejected', (options, code, message) => {
  expect(() => programOf('true', options as never)).toThrow(matchError(code, message));
});
