/** `shell_exec` and `run_tests` with real processes: how they end, and their environment. */

import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeTools } from '../../../src/entries/tools.js';
import { createCommandEnvironment } from '../../../src/tools/process/environment.js';
import { createHeadTailBuffer } from '../../../src/tools/process/run-command.js';
import { callOf } from '../../support/call-tool.js';
import { isAlive } from '../../support/is-alive.js';
import { matchError } from '../../support/match-error.js';

let root: string;
const { find, call, failure } = callOf(() => codeTools({ root, tests: 'cat', env: { GREETING: 'hello' } }));

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'longhand-commands-')));
  await writeFile(join(root, 'a test.txt'), 'one\n');
  await writeFile(join(root, '-n'), 'two\n');
});

afterAll(() => rm(root, { recursive: true, force: true }));

const shell = (command: string, seconds = 60) =>
  call('shell_exec', { command, seconds }) as Promise<{ output: string }>;

describe('shell_exec', () => {
  it('runs in the root and returns both outputs and the exit code', async () => {
    expect(await shell('pwd; echo wrong >&2; exit 3')).toEqual({ exitCode: 3, output: `${root}\nwrong\n` });
    expect(await shell('echo $GREETING $NO_COLOR')).toEqual({ exitCode: 0, output: 'hello 1\n' });
  });

  it('is unsafe: the effect of a second run is unknown', () => {
    expect(find('shell_exec').snapshot).toMatchObject({ effects: 'unsafe', attempts: 1 });
  });

  it('emits its output so far as an interim result, in complete lines', async () => {
    const emitted: string[] = [];
    const emit = (value: unknown) => emitted.push(JSON.stringify(value));
    await call(
      'shell_exec',
      { command: 'echo one; sleep 0.3; printf half; sleep 0.3; echo way', seconds: 60 },
      { emit },
    );
    expect(emitted).toEqual(
      [{ output: 'one\n' }, { output: 'one\n' }, { output: 'one\nhalfway\n' }].map((each) => JSON.stringify(each)),
    );
  });

  it('has no input', async () => {
    expect(await shell('cat; echo end')).toEqual({ exitCode: 0, output: 'end\n' });
  });

  it('ends a command and its processes at the timeout, and keeps its output', async () => {
    const { output, ...rest } = await shell("trap '' TERM; sleep 600 & echo $!; wait; sleep 600", 1);
    expect(rest).toEqual({ exitCode: null, stopped: 'it was ended by its timeout of 1 seconds' });
    await expect.poll(() => isAlive(Number(output))).toBe(false);
  });

  it('ends the background processes of a command', async () => {
    const { output } = await shell('sleep 600 & echo $!');
    await expect.poll(() => isAlive(Number(output))).toBe(false);
  });

  it('ends all processes when the call is aborted, and returns no result', async () => {
    const stop = new AbortController();
    const file = join(root, 'pid');
    const running = call('shell_exec', { command: `sleep 600 & echo $! > ${file}; wait` }, { signal: stop.signal });
    const pid = () => readFile(file, 'utf8').then(Number, () => 0);
    await expect.poll(pid).toBeGreaterThan(0);
    stop.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
    const sleeper = await pid();
    await expect.poll(() => isAlive(sleeper)).toBe(false);
  });

  it('reports NotDone if nothing was started', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    expect(await failure('shell_exec', { command: 'true' }, { signal })).toMatch(/^NotDone: The command was not run/);
    const gone = callOf(() => codeTools({ root: join(root, 'gone') }));
    expect(await gone.failure('shell_exec', { command: 'true' })).toMatch(/^NotDone: .*does not exist on the worker/);
  });

  it('returns the start and the end of a long output, without terminal codes', async () => {
    const { output } = await shell("printf '\\033[31mfirst\\033[0m\\n'; seq 1 100000; echo last");
    expect(output).toMatch(/^first\n1\n2\n/);
    expect(output).toMatch(/\n\[… [\d,]+ of [\d,]+ bytes left out …\]\n/);
    expect(output).toMatch(/\n100000\nlast\n$/);
    expect(output.length).toBeLessThan(140_000);
  });
});

describe('run_tests', () => {
  it('exists only with the option `tests`, and needs approval', () => {
    expect(find('run_tests').snapshot.effects).toBe('idempotent');
    expect(find('run_tests').approval).toMatchObject({ risk: 'medium' });
    expect(codeTools({ root }).map(({ name }) => name)).toEqual([
      'file_write',
      'file_edit',
      'shell_exec',
      'git_status',
      'git_diff',
      'git_commit',
      'git_push',
    ]);
  });

  it('appends the files to its command, and the shell does not interpret them', async () => {
    expect(await call('run_tests', { paths: ['a test.txt'] })).toEqual({ exitCode: 0, output: 'one\n' });
    expect(await failure('run_tests', { paths: ['$(touch made)'] })).toMatch(/^ToolError: There is no file/);
    expect(await failure('run_tests', { paths: ['./-n'] })).toMatch(/read as an option/);
    expect(await failure('run_tests', { paths: ['../x'] })).toMatch(/outside of the folder/);
  });
});

describe('the environment of commands', () => {
  it('contains no credentials', () => {
    const env = {
      PATH: '/bin',
      HOME: '/home/ann',
      LANG: 'C',
      CARGO_HOME: '/cargo',
      ANTHROPIC_API_KEY: 'x',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      GITHUB_TOKEN: 'x',
      githubToken: 'x',
      GITHUB_PAT: 'x',
      PGPASSWORD: 'x',
      MYSQL_PWD: 'x',
      SSH_AUTH_SOCK: '/agent',
      'npm_config_//registry.example/:_authToken': 'x',
      SENTRY_DSN: 'x',
      OTEL_EXPORTER_OTLP_HEADERS: 'x',
      DATABASE_URL: 'postgres://ann:hunter2x@db.example/app',
      HARMLESS: 'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOp',
      GIT_DIR: '/elsewhere',
      GIT_AUTHOR_NAME: 'Ann',
      FORCE_COLOR: '1',
    };
    expect(Object.keys(createCommandEnvironment(env)).sort()).toEqual(
      ['CARGO_HOME', 'GIT_AUTHOR_NAME', 'GIT_EDITOR', 'GIT_PAGER', 'GIT_TERMINAL_PROMPT', 'HOME', 'LANG']
        .concat(['NO_COLOR', 'PAGER', 'PATH', 'TERM'])
        .sort(),
    );
  });

  it('contains given variables under any name', () => {
    expect(createCommandEnvironment({ NPM_TOKEN: 'of the worker' }, { given: { NPM_TOKEN: 'given' } })).toMatchObject({
      NPM_TOKEN: 'given',
    });
  });

  it('is passed to commands, and credentials in their output are masked', async () => {
    const env = { NPM_TOKEN: 'canary-of-npm-01234', GREETING: 'hello there' };
    const { call: inShop } = callOf(() => codeTools({ root, env }));
    const command = 'echo "$GREETING"; echo "key $NPM_TOKEN"; printf %s "me:$NPM_TOKEN" | base64 >&2';
    expect(await inShop('shell_exec', { command })).toMatchObject({
      output: expect.stringMatching(/^hello there\nkey \[redacted:secret\]\n.{0,8}\[redacted:secret\].{0,4}\n$/s),
    });
  });
});

it('both ends of an output are kept for any chunks, cut at line ends', () => {
  const whole = Array.from({ length: 1_000 }, (_, at) => `line ${at} é\n`).join('');
  const bytes = Buffer.from(whole);
  for (const size of [1, 7, 100, 5_000, bytes.length]) {
    const ends = createHeadTailBuffer(1_000);
    for (let at = 0; at < bytes.length; at += size) ends.add(bytes.subarray(at, at + size));
    const [head = '', tail = ''] = ends.text().split(/\[….*…\]\n/);
    expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
    expect(head.length + tail.length).toBeGreaterThan(900);
    expect(Buffer.byteLength(head + tail)).toBeLessThanOrEqual(1_000);
  }
  const all = createHeadTailBuffer(bytes.length);
  all.add(bytes);
  expect(all.text()).toBe(whole);
});

it('invalid options are rejected', () => {
  expect(() => codeTools({ root: '' })).toThrow(matchError('invalid_options', 'root must be a folder'));
  expect(() => codeTools({ root: '.', tests: ' ' })).toThrow(matchError('invalid_options', 'tests must be a text'));
  expect(() => codeTools({ root: '.', test: 'npm test' } as never)).toThrow(
    matchError('invalid_options', 'test is unknown; you may mean tests'),
  );
});
