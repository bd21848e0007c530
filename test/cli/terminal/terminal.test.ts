/** Messages of a command on standard error. */

import { afterEach, expect, it, vi } from 'vitest';
import { openTerminal } from '../../../src/cli/terminal/terminal.js';

afterEach(() => void vi.restoreAllMocks());

it('removes control sequences from messages', () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  openTerminal(true).report('no chain of type \u001b]0;owned\u0007\u001b[2Jagent\u0007');
  expect(written.mock.calls).toEqual([['no chain of type agent\ufffd\n']]);
});

it('a table has the width of the terminal, and no limit in a pipe', () => {
  const { isTTY, columns } = process.stdout;
  try {
    Object.assign(process.stdout, { isTTY: true, columns: 62 });
    expect(openTerminal(true).tableWidth).toBe(62);
    Object.assign(process.stdout, { isTTY: false, columns: undefined });
    expect(openTerminal(true).tableWidth).toBe(Number.POSITIVE_INFINITY);
  } finally {
    Object.assign(process.stdout, { isTTY, columns });
  }
});
