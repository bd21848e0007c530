/** What is written into a pipe arrives whole, however late it is read, and a reader that goes away breaks nothing. */

import { once } from 'node:events';
import { setTimeout as patience } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { longhand } from '../../support/command.js';

const text = `${'Nothing in here is to be hidden. '.repeat(40)}\n`.repeat(1_600);

it('a command waits for a slow reader of its output', async () => {
  const { process: child, end } = longhand(['redact']);
  child.stdout.pause();
  child.stdin.end(text);
  // It must not end before its output is read: the output is larger than the buffer of a pipe.
  const gone = await Promise.race([once(child, 'exit').then(() => true), patience(2_500, false)]);
  expect(gone).toBe(false);
  child.stdout.resume();
  const { code, stdout } = await end;
  expect(code).toBe(0);
  expect(stdout).toBe(text);
});

it('a command ends without an error when its output is closed', async () => {
  const { process: child, end } = longhand(['redact']);
  // Its unread input is dropped.
  child.stdin.on('error', () => {});
  child.stdout.once('data', () => child.stdout.destroy());
  child.stdin.end(text);
  const { stderr } = await end;
  expect(stderr).toBe('');
});
