/** Writes one JSON object per line, for log collectors. */

import { type Level, pino } from 'pino';
import { toPlainJson } from '../core/lib/index.js';
import type { LogEntry } from './log-entry.js';

export function createJsonWriter(write: (text: string) => void): (level: Level, entry: LogEntry) => void {
  const logger = pino(
    {
      level: 'trace',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // The same values for collectors, safe to view in a terminal.
    { write: (line: string) => write(toPlainJson(line)) },
  );
  return (level, { message, context, fields, error }) => {
    logger[level]({ ...fields, ...context, ...(error === null ? {} : { error: omitNullStack(error) }) }, message);
  };
}

function omitNullStack({ stack, ...error }: NonNullable<LogEntry['error']>) {
  return stack === null ? error : { ...error, stack };
}
