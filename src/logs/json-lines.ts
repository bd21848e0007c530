/** Writes one JSON object per line, for log collectors. */

import { toPlainJson } from '../core/lib/index.js';
import type { LogEntry } from './log-entry.js';

export function createJsonWriter(write: (text: string) => void): (level: string, entry: LogEntry) => void {
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
