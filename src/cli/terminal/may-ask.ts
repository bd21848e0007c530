/** Whether somebody can be asked: they read what is written, and what they type comes here. */

import type { Terminal } from './terminal.js';

export function mayAsk(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/**
 * Before the prompts are loaded: they take their colours from the environment as they then find it, and wrap at the width of
 * a terminal that may not know its own.
 */
export function fitPrompts({ color, width }: Pick<Terminal, 'color' | 'width'>): void {
  if (!color) process.env.NO_COLOR = '1';
  if (!process.stdout.columns) process.stdout.columns = width;
}
