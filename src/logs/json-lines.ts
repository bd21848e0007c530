/** Writes one JSON object per line, for log collectors. */

import { toPlainJson } from '../core/lib/index.js';
import type { LogEntry } from './log-entry.js';

export function createJsonWriter(write: (text: string) => void): (level: string, entry: LogEntry) => void {
  return (level, { message, context, fields, error }) => {
    const shown = error === null ? {} : { error: omitNullStack(error) };
    const line = JSON.stringify({
      level,
      time: new Date().toISOString(),
      ...fields,
      ...context,
      ...shown,
      msg: message,
    });
    // The same values for collectors, safe to view in a terminal.
    write(`${toPlainJson(line)}\n`);
  };
}

function omitNullStack({ stack, ...error }: NonNullable<LogEntry['error']>) {
  return stack === null ? error : { ...error, stack };
}
