/**
 * The stack of an error as lines: its frames, then each cause with its name, message and frames. The error's own message
 * is omitted: a failure, a log line and an observation have it already.
 */

import { shorten } from './display.js';
import { findStatedName } from './error-name.js';
import { toOneLine } from './plain-text.js';

export interface StackOptions {
  /** Masks secrets, before anything is cut. */
  readonly mask: (text: string) => string;
  /** Matches the first frame of the caller: from it on, frames are omitted. Default: none is. */
  readonly until?: RegExp;
  /** Whether only the causes are wanted. Default false. */
  readonly causesOnly?: boolean;
  /** Default 2,000: a stack in a history has a bounded size. */
  readonly maxCharacters?: number;
}

const defaultMaxCharacters = 2_000;
const maxCauses = 3;
const maxCauseCharacters = 300;
const maxMaskedCharacters = 64 * 1024;

/** Returns the lines; none for a value without a stack. Never throws, even if the error's getters do. */
export function listStackLines(error: unknown, options: StackOptions): readonly string[] {
  try {
    return cutLines(
      [...(options.causesOnly ? [] : listFrames(error, options)), ...listCauseLines(error, options)],
      options.maxCharacters ?? defaultMaxCharacters,
    );
  } catch {
    return [];
  }
}

function listCauseLines(error: unknown, options: StackOptions): readonly string[] {
  const lines: string[] = [];
  let cause = getCause(error);
  for (let depth = 0; depth < maxCauses && cause !== undefined && cause !== null; depth++) {
    lines.push(`Caused by ${formatCause(cause, options)}`, ...listFrames(cause, options));
    cause = getCause(cause);
  }
  return lines;
}

function getCause(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

/** An error without a message, as a failed connection to several addresses, has a code. */
function formatCause(cause: unknown, { mask }: StackOptions): string {
  const name = cause instanceof Error ? `${findStatedName(cause) ?? 'Error'}: ` : '';
  const code = cause instanceof Error && 'code' in cause ? cause.code : '';
  const message = cause instanceof Error ? cause.message || String(code) : String(cause);
  return shorten(toOneLine(mask(`${name}${message}`.slice(0, maxMaskedCharacters))), maxCauseCharacters);
}

/** Returns `at execute (/app/tools.ts:3:9)` and so on, without the message that the stack begins with. */
function listFrames(error: unknown, { mask, until }: StackOptions): readonly string[] {
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack : '';
  const message = error instanceof Error ? error.message : '';
  const start = message === '' ? 0 : Math.max(0, stack.indexOf(message)) + message.length;
  const lines = mask(cutAtLine(stack.slice(start), maxMaskedCharacters)).split(/\r?\n/);
  const frames = lines.flatMap((line) => (/^\s+at /.test(line) ? [toFrame(line)] : []));
  const end = until === undefined ? -1 : frames.findIndex((frame) => until.test(frame));
  return end < 0 ? frames : frames.slice(0, end);
}

/** Masking takes time: a message may contain megabytes. A secret that is cut at the end is not in the first lines. */
function cutAtLine(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, Math.max(0, text.lastIndexOf('\n', max)));
}

/** Loaders add a query to the address of a file. */
function toFrame(line: string): string {
  return toOneLine(line)
    .trim()
    .replace('file://', '')
    .replace(/\?[^:)\s]*(?=:\d+)/, '');
}

function cutLines(lines: readonly string[], max: number): readonly string[] {
  let left = max;
  const end = lines.findIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  return end < 0 ? lines : [...lines.slice(0, end), '…'];
}
