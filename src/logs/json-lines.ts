/** One JSON object a line, for whatever collects logs. */

import { type Level, pino } from 'pino';
import { toPlainJson } from '../core/lib/plain-text.js';
import type { LogEntry } from './log-entry.js';

export function createJsonWriter(write: (text: string) => void): (level: Level, entry: LogEntry) => void {
  const logger = pino(
    {
      level: 'trace',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // Collectors read the same values; whoever looks at the lines in a terminal is safe.
    { write: (line: string) => write(toPlainJson(line)) },
  );
  return (level, { message, context, fields, error }) => {
    logger[level]({ ...fields, ...context, ...(error === null ? {} : { error: omitNullStack(error) }) }, message);
  };
}

function omitNullStack({ stack, ...error }: NonNullable<LogEntry['error']>) {
  return stack === null ? error : { ...error, stack };
}
