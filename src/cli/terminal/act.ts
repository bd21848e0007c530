import type { Terminal } from './terminal.js';

/** Gives a command its terminal, and the program its exit code. */
export type Act = <A extends unknown[]>(
  command: (terminal: Terminal, ...args: A) => Promise<number>,
) => (...args: unknown[]) => Promise<void>;
