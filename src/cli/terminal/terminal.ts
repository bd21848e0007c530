/**
 * The output of a command: results go to standard output, messages to standard error.
 */

import { Console } from 'node:console';
import type { Writable } from 'node:stream';
import { toPlainJson } from '../../core/lib/index.js';
import { cleanText, shouldUseColor } from './colors.js';

export interface Terminal {
  /** Writes text that may quote untrusted text: its escape sequences are removed (X3). */
  readonly write: (text: string) => void;
  /** Writes the output of a filter or an export: cleaned for a terminal, byte for byte for a pipe or a file. */
  readonly writeRaw: (text: string) => void;
  /** Writes a message to standard error, cleaned. */
  readonly report: (line: string) => void;
  readonly color: boolean;
  /** Columns at which texts are wrapped. */
  readonly width: number;
  /** Columns for a table: those of the terminal; in a pipe or a file without limit. */
  readonly tableWidth: number;
}

export function openTerminal(colorWanted: boolean): Terminal {
  const color = shouldUseColor({ stream: process.stdout, env: process.env, wanted: colorWanted });
  return {
    write: (text) => void process.stdout.write(cleanText(text)),
    writeRaw: (text) => void process.stdout.write(process.stdout.isTTY ? cleanText(text) : text),
    report: (line) => writeError(`${line}\n`),
    color,
    width: process.stdout.columns || 100,
    tableWidth: process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY,
  };
}

/** Writes to standard error, cleaned. */
export function writeError(text: string): void {
  process.stderr.write(cleanText(text));
}

/** Modules and tools of users print with `console`, also while a command prints JSON: their lines are no results. */
export function moveConsoleToErrors(): void {
  Object.assign(console, new Console(process.stderr));
}

/** Whether a person reads standard error. */
export function isErrorRead(): boolean {
  return process.stderr.isTTY === true;
}

/** Whether a person can be prompted: input and output are a terminal. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/**
 * Prepares the prompts. Call it before their module is loaded, which reads colours from the environment at that moment and
 * wraps at the terminal's width.
 */
export function preparePrompts({ color, width }: Pick<Terminal, 'color' | 'width'>): void {
  if (!color) process.env.NO_COLOR = '1';
  if (!process.stdout.columns) process.stdout.columns = width;
}

/**
 * Waits until all output has been read. A pipe buffers about 64 KB; the rest would be lost when the process exits. Never
 * rejects: a closed reader needs no more output.
 */
export async function flush(...streams: readonly Writable[]): Promise<void> {
  await Promise.all(streams.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))));
}

/** Waits until standard output has been read, for a command whose output is without limit. */
export function drainOutput(): Promise<void> {
  return flush(process.stdout);
}

/** A command as a function, which gets its arguments and then its flags, and returns its exit code. */
type CommandFunction<A extends unknown[]> = (terminal: Terminal, ...args: A) => number | Promise<number>;

/** Imports the module of a command when the command is called. */
export type CommandLoader<A extends unknown[]> = () => CommandFunction<A> | Promise<CommandFunction<A>>;

/** Passes the terminal to a command, and its exit code to the program. */
export type CommandAction = <A extends unknown[]>(load: CommandLoader<A>) => (...args: unknown[]) => Promise<void>;

/**
 * Formats JSON for output: valid for programs, and safe for a terminal.
 *
 * @param indent spaces per level; default: one line
 */
export function formatJson(value: unknown, indent?: number): string {
  return `${toPlainJson(JSON.stringify(value, null, indent))}\n`;
}
