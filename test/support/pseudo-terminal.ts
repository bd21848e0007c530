/** The built `longhand` command at a pseudo terminal, with a person who reads and types. Uses `script` of util-linux. */

import { spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { createEnvironment } from './command.js';

export interface AtTerminal {
  /** Waits until `after` has been written since the last keys, then types. */
  readonly type: (after: string | RegExp, keys: string) => Promise<void>;
  /** `raw` is the output with its control sequences. */
  readonly end: Promise<{ readonly code: number | null; readonly text: string; readonly raw: string }>;
  readonly kill: () => void;
}

export const keys = { enter: '\r', down: '\u001b[B', ctrlC: '\u0003', ctrlD: '\u0004' } as const;

/** Picks an option by its place after the preselected one: at an approval, 1 approves, 2 denies, 3 edits. */
export function pick(place: number): string {
  return keys.down.repeat(place) + keys.enter;
}

/** Whether `script` is that of util-linux: the one of macOS has other arguments. */
export function hasPseudoTerminal(): boolean {
  return /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');
}

/**
 * @param args without blanks
 * @param env added to the minimal environment
 */
export function runAtTerminal(args: readonly string[], env: Readonly<Record<string, string>>): AtTerminal {
  const command = ['stty cols 100 rows 40;', process.execPath, 'bin/longhand.js', ...args].join(' ');
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    env: { ...createEnvironment(), TERM: 'xterm-256color', ...env },
  });
  let text = '';
  let raw = '';
  let read = 0;
  child.stdout.on('data', (data) => {
    raw += data;
    text += stripVTControlCharacters(String(data));
  });
  const end = new Promise<{ code: number | null; text: string; raw: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, text, raw })),
  );
  return {
    type: async (after, keys) => {
      await expect.poll(() => text.slice(read)).toMatch(after);
      read = text.length;
      child.stdin.write(keys);
    },
    end,
    kill: () => child.kill('SIGKILL'),
  };
}
