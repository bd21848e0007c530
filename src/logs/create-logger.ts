/**
 * Creates a logger for Temporal's runtime: lines of the SDK and of tools with chain, step and call, and with secrets
 * masked. As text for people or JSON for collectors.
 */

import type { Logger, LogLevel, LogMetadata } from '@temporalio/common';
import { toPlainJson, toPlainText } from '../core/lib/index.js';
import { createLogMasker, type LogEntry, toLogEntry } from './log-entry.js';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevelName = (typeof logLevels)[number];

export const logFormats = ['json', 'text'] as const;

export interface LoggerOptions {
  /** Default: `json`, one object a line. */
  readonly format?: (typeof logFormats)[number];
  /** Lowest level that is logged. Default: `info`. */
  readonly level?: LogLevelName;
  /** Messages never logged, at any level. */
  readonly excludedMessages?: ReadonlySet<string>;
  /** Default: standard error. */
  readonly write?: (text: string) => void;
}

/**
 * Creates the logger.
 *
 * @example
 * Runtime.install({ logger: await createLogger() });
 * await runWorker({ agents: [meteorologist] });
 */
export async function createLogger(options: LoggerOptions = {}): Promise<Logger> {
  const { format = 'json', level: least = 'info', excludedMessages = new Set() } = options;
  const { write = (text) => void process.stderr.write(text) } = options;
  const put = format === 'json' ? createJsonWriter(write) : createTextWriter(write);
  const mask = createLogMasker();
  return createLevelLogger((level, message, meta) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least) || excludedMessages.has(message)) return;
    put(level, mask(toLogEntry(message, meta)));
  });
}

function createLevelLogger(log: (level: LogLevelName, message: string, meta?: LogMetadata) => void): Logger {
  const at = (level: LogLevelName) => (message: string, meta?: LogMetadata) => log(level, message, meta);
  return {
    log: (level: LogLevel, message, meta) => log(level.toLowerCase() as LogLevelName, message, meta),
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
}

/** Writes one JSON object per line, for log collectors. */
function createJsonWriter(write: (text: string) => void): (level: string, entry: LogEntry) => void {
  return (level, { message, context, fields, error }) => {
    const shown = error === null ? {} : { error: omitNullStack(error) };
    const places = Object.fromEntries(Object.entries(context).map(([name, value]) => [name, toLoggable(value)]));
    const line = { level, time: new Date().toISOString(), ...fields, ...places, ...shown, msg: message };
    // The same values for collectors, safe to view in a terminal.
    write(`${toPlainJson(JSON.stringify(line))}\n`);
  };
}

/** A tool may log any value under a name of the SDK. */
function toLoggable(value: unknown): unknown {
  try {
    JSON.stringify(value);
    return value;
  } catch {
    return String(value);
  }
}

function omitNullStack({ stack, ...error }: NonNullable<LogEntry['error']>) {
  return stack === null ? error : { ...error, stack };
}

/**
 * Writes a line for a person, and below it the frames of a stack:
 * `12:03:04 WARN  Activity failed (chain demo-1, step 3, call 3.1, get_weather): TypeError: city is undefined`
 */
function createTextWriter(write: (text: string) => void): (level: string, entry: LogEntry) => void {
  return (level, { message, context, fields, error }) => {
    const { chainId, step, call, activity } = context;
    // The id of a model call adds nothing to its step.
    const ofTool = /^\d+\.\d+$/.test(String(call)) && `call ${call}`;
    const places = [chainId && `chain ${chainId}`, step !== undefined && `step ${step}`, ofTool, activity];
    const where = places.filter(Boolean).join(', ');
    const why = error === null ? '' : `: ${error.type}: ${error.message.trim()}`;
    const more = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
    const time = new Date().toTimeString().slice(0, 8);
    const line = `${time} ${level.toUpperCase().padEnd(5)} ${message}${where === '' ? '' : ` (${where})`}${why}${more}`;
    write(`${[line, ...listFrames(error?.stack ?? '')].map(toOneRow).join('\n')}\n`);
  };
}

/** Without the message of the error, which the line above has. */
function listFrames(stack: string): readonly string[] {
  const rows = stack.split('\n').map((row) => row.trim());
  const first = rows.findIndex((row) => row.startsWith('at ') || row.startsWith('Caused by '));
  return first < 0 ? [] : rows.slice(first).map((row) => `    ${row}`);
}

/** The line contains text of tools, models and servers: no terminal controls, no line breaks. */
function toOneRow(line: string): string {
  return toPlainText(line).replace(/\n\s*/g, ' ');
}
