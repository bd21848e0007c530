/**
 * Where a command writes, and in which form. Results go to standard output; everything that only accompanies them to standard
 * error.
 */

import type { Writable } from 'node:stream';
import { toPlainJson } from '../../core/lib/plain-text.js';
import { cleanText, shouldUseColor } from './colors.js';

export interface Terminal {
  /** Writes text that may quote what others wrote: nothing in it drives the terminal (X3). */
  readonly write: (text: string) => void;
  /** Writes the output of a filter or an export: cleaned at a terminal, byte for byte into a pipe or a file. */
  readonly writeRaw: (text: string) => void;
  /** Writes a line beside the point, cleaned alike. */
  readonly report: (line: string) => void;
  readonly color: boolean;
  readonly width: number;
}

export function openTerminal(colorWanted: boolean): Terminal {
  const color = shouldUseColor({ stream: process.stdout, env: process.env, wanted: colorWanted });
  return {
    write: (text) => void process.stdout.write(cleanText(text)),
    writeRaw: (text) => void process.stdout.write(process.stdout.isTTY ? cleanText(text) : text),
    report: (line) => writeError(`${line}\n`),
    color,
    width: process.stdout.columns || 100,
  };
}

/** Writes to standard error, cleaned. */
export function writeError(text: string): void {
  process.stderr.write(cleanText(text));
}

/** Whether a person reads standard error. */
export function isErrorRead(): boolean {
  return process.stderr.isTTY === true;
}

/** Whether a person can be prompted: both their input and the output are a terminal. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/**
 * Prepares the prompts, before their module is loaded: it takes its colours from the environment at that moment, and wraps
 * at the width of a terminal that may not know its own.
 */
export function preparePrompts({ color, width }: Pick<Terminal, 'color' | 'width'>): void {
  if (!color) process.env.NO_COLOR = '1';
  if (!process.stdout.columns) process.stdout.columns = width;
}

/**
 * Waits until everything that was written has been read. A pipe takes some 64 KB at a time, and the rest would be lost with
 * the process. Never rejects: a reader that has closed its end needs nothing more.
 */
export async function flush(...streams: readonly Writable[]): Promise<void> {
  await Promise.all(streams.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))));
}

/** Gives a command its terminal, and the program its exit code. */
export type CommandAction = <A extends unknown[]>(
  command: (terminal: Terminal, ...args: A) => Promise<number>,
) => (...args: unknown[]) => Promise<void>;

/**
 * JSON as commands print it: valid for a program, and safe where a person reads it in a terminal.
 *
 * @param indent spaces of each level; default: all in one line
 */
export function formatJson(value: unknown, indent?: number): string {
  return `${toPlainJson(JSON.stringify(value, null, indent))}\n`;
}
