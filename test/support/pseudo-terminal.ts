/** The built `longhand` command at a pseudo terminal, with a person who reads and types: by util-linux' `script`. */

import { spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { createEnvironment } from './command.js';

export interface AtTerminal {
  /** Waits until this has been written since the last keys, and types. */
  readonly type: (after: string | RegExp, keys: string) => Promise<void>;
  /** `raw` is what the terminal got, its sequences among it. */
  readonly end: Promise<{ readonly code: number | null; readonly text: string; readonly raw: string }>;
  readonly kill: () => void;
}

export const keys = { enter: '\r', down: '\u001b[B', ctrlC: '\u0003', ctrlD: '\u0004' } as const;

/** The one of macOS takes other arguments. */
export function hasPseudoTerminal(): boolean {
  return /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');
}

/**
 * @param args without blanks
 * @param env laid over the bare environment
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
