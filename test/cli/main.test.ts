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
  [['chain', 'show'], "longhand: missing required argument 'chain'\n"],
  [['archive', 'erase', '--bogus'], "longhand: unknown option '--bogus'\n"],
])('an error about arguments begins like every other error: %j', async (args, message) => {
  expect(await longhandHere(args)).toEqual({ code: 2, stdout: '', stderr: message });
});
