/** One JSON object a line, for whatever collects logs. */

import { type Level, pino } from 'pino';
import { plainJson } from '../core/lib/plain.js';
import type { LogEntry } from './log-entry.js';

export function jsonLines(write: (text: string) => void): (level: Level, entry: LogEntry) => void {
  const logger = pino(
    {
      level: 'trace',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // Collectors read the same values; whoever looks at the lines in a terminal is safe.
    { write: (line: string) => write(plainJson(line)) },
  );
  return (level, { message, place, said, error }) => {
    logger[level]({ ...said, ...place, ...(error === null ? {} : { error: withoutNull(error) }) }, message);
  };
}

function withoutNull({ stack, ...error }: NonNullable<LogEntry['error']>) {
  return stack === null ? error : { ...error, stack };
}
