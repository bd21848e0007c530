/** The help of the command line, and its errors about arguments. */

import { expect, it } from 'vitest';
import { longhandHere } from '../support/command-here.js';

it('the help lists the commands in groups, within 80 columns', async () => {
  const { code, stdout } = await longhandHere(['--help']);
  expect(code).toBe(0);
  expect([...stdout.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading)).toEqual([
    'Options',
    'Connect to Temporal',
    'Run',
    'Read chains',
    'Decide and steer',
    'Store and audit',
    'Set up',
  ]);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

it.each([
  [['archve'], "longhand: unknown command 'archve'\n(Did you mean archive?)\n"],
  [
    ['diff', 'x'],
    "longhand: unknown command 'diff'\n(Did you mean one of longhand chain diff, longhand prompts diff?)\n",
  ],
  [['show'], "longhand: missing required argument 'chain'\n"],
  [['chain', 'show'], "longhand: missing required argument 'chain'\n"],
  [['archive', 'erase', '--bogus'], "longhand: unknown option '--bogus'\n"],
])('an error about arguments begins like every other error: %j', async (args, message) => {
  expect(await longhandHere(args)).toEqual({ code: 2, stdout: '', stderr: message });
});

it.each(['show', 'watch', 'explain', 'fork'])('chain %s also works without chain', async (name) => {
  const full = await longhandHere(['chain', name, '--help']);
  const short = await longhandHere([name, '--help']);
  expect(short.code).toBe(0);
  expect(short.stdout).toBe(full.stdout.replace(`Usage: longhand chain ${name}`, `Usage: longhand ${name}`));
  expect(await longhandHere([name, './no-such-chain.json'])).toEqual(
    await longhandHere(['chain', name, './no-such-chain.json']),
  );
});

it('a command that only groups have is answered with their commands, those of chains first', async () => {
  const { code, stderr } = await longhandHere(['list']);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^longhand: unknown command 'list'\n\(Did you mean one of longhand chain list, longhand schedule list, .*\?\)\n$/,
  );
});

it('the help of schedule names all that its commands do', async () => {
  const { stdout } = await longhandHere(['--help']);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'create, list, pause, resume, trigger and delete schedules that start an agent',
  );
});

it('--debug adds the class, the code, the stack and the causes of an error to its message, with every command', async () => {
  const missing = ['chain', 'show', './no-such-chain.json'];
  const { code, stderr } = await longhandHere([...missing, '--debug']);
  expect(code).toBe(1);
  const [first, ...rows] = stderr.trimEnd().split('\n');
  expect(await longhandHere(missing)).toMatchObject({ code, stderr: `${first}\n` });
  expect(rows[0]).toBe('    InvalidChainFileError (invalid_chain_file)');
  expect(rows.slice(1).every((row) => /^ {4}(at|Caused by) /.test(row))).toBe(true);
  expect(rows.join('\n')).toContain('parseFile');
  expect((await longhandHere(['doctor', '--help'])).stdout).toContain('--debug');
});

it('--debug prints the cause of an error that names what to change, and no secret', async () => {
  const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
  const given = ['run', 'clerk', 'Count', '--file', `./${key}.txt`, '--debug'];
  const { code, stderr } = await longhandHere(given);
  expect(code).toBe(2);
  expect(stderr).toMatch(/ {4}UsageError \(usage\)\n( {4}at .*\n)+ {4}Caused by Error: .*ENOENT.*\n/);
  expect(stderr).not.toContain(key);
});
