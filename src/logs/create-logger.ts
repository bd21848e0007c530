/**
 * A logger for Temporal's runtime: the lines of the SDK and of tools, each with its chain, step and call, and without
 * secrets. A person reads lines of text, a collector JSON.
 */

import type { Logger, LogLevel, LogMetadata } from '@temporalio/common';
import { plain } from '../core/lib/plain.js';
import { entryOf, type LogEntry, logMask } from './log-entry.js';

export const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

export const formats = ['json', 'text'] as const;

export interface LoggerOptions {
  /** Default: `json`, one object a line. */
  readonly format?: (typeof formats)[number];
  /** The least that is logged. Default: `info`. */
  readonly level?: Level;
  /** Messages that are not logged at any level. */
  readonly leaveOut?: ReadonlySet<string>;
  /** Default: to standard error. */
  readonly write?: (text: string) => void;
}

/**
 * @example
 * Runtime.install({ logger: await createLogger() });
 * await runWorker({ agents: [meteorologist] });
 */
export async function createLogger(options: LoggerOptions = {}): Promise<Logger> {
  const { format = 'json', level: least = 'info', leaveOut = new Set() } = options;
  const { write = (text) => void process.stderr.write(text) } = options;
  const put = format === 'json' ? (await import('./json-lines.js')).jsonLines(write) : textLines(write);
  const mask = logMask();
  return loggerOver((level, message, meta) => {
    if (levels.indexOf(level) < levels.indexOf(least) || leaveOut.has(message)) return;
    put(level, mask(entryOf(message, meta)));
  });
}

function loggerOver(log: (level: Level, message: string, meta?: LogMetadata) => void): Logger {
  const at = (level: Level) => (message: string, meta?: LogMetadata) => log(level, message, meta);
  return {
    log: (level: LogLevel, message, meta) => log(level.toLowerCase() as Level, message, meta),
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
}

/** Writes a line for a person: `12:03:04 WARN  Activity failed (chain demo-1, step 3, get_weather): ToolError: There is no such city` */
function textLines(write: (text: string) => void): (level: string, entry: LogEntry) => void {
  return (level, { message, place, said, error }) => {
    const { chainId, step, activity } = place;
    const of = [chainId && `chain ${chainId}`, step !== undefined && `step ${step}`, activity];
    const where = of.filter(Boolean).join(', ');
    const why = error === null ? '' : `: ${error.type}: ${error.message.trim()}`;
    const more = Object.keys(said).length === 0 ? '' : ` ${JSON.stringify(said)}`;
    const time = new Date().toTimeString().slice(0, 8);
    const line = `${time} ${level.toUpperCase().padEnd(5)} ${message}${where === '' ? '' : ` (${where})`}${why}${more}`;
    // Tools, models and servers have words in it: they neither drive the terminal nor begin a line that looks like ours.
    write(`${plain(line).replace(/\n\s*/g, ' ')}\n`);
  };
}
