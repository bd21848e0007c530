/** A line of text for a person who watches. */

import { plain } from '../core/lib/plain.js';
import type { LogEntry } from './log-entry.js';

/** `12:03:04 WARN  Activity failed (chain demo-1, step 3, get_weather): ToolError: There is no such city` */
export function textLines(write: (text: string) => void): (level: string, entry: LogEntry) => void {
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
