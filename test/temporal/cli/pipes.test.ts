/** The reader of a pipe receives all output, however late it reads, and a closed pipe causes no error. */

import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { longhand } from '../../support/command.js';

const text = `${'Nothing in here is to be hidden. '.repeat(40)}\n`.repeat(1_600);

it('a command waits for a slow reader of its output', async () => {
  const { process: child, end } = longhand(['redact']);
  child.stdout.pause();
  child.stdin.end(text);
  // The command must not end before its output is read: the output is larger than the buffer of a pipe.
  const hasEnded = await Promise.race([once(child, 'exit').then(() => true), wait(2_500, false)]);
  expect(hasEnded).toBe(false);
  child.stdout.resume();
  const { code, stdout } = await end;
  expect(code).toBe(0);
  expect(stdout).toBe(text);
});

it('a command ends without an error when its output is closed', async () => {
  const { process: child, end } = longhand(['redact']);
  // The command drops its unread input.
  child.stdin.on('error', () => {});
  child.stdout.once('data', () => child.stdout.destroy());
  child.stdin.end(text);
  const { stderr } = await end;
  expect(stderr).toBe('');
});
