/** A tool that returns the time: models do not know it. */

import { z } from 'zod';
import { check } from '../../core/lib/index.js';
import { defineTool, type Tool, ToolError } from '../define/index.js';

export interface NowOptions {
  /** Default `now`. */
  readonly name?: string | undefined;
  /** For the model: when to call the tool. */
  readonly description?: string | undefined;
  /** The IANA time zone of calls that name none, such as `Europe/Berlin`. Default `UTC`. */
  readonly timezone?: string | undefined;
}

const checkTimezone = check.define(
  (value) => typeof value === 'string' && isTimezone(value),
  (value) => `must be an IANA time zone, such as Europe/Berlin, not ${JSON.stringify(value)}`,
);

const checkOptions = check.members<NowOptions>({
  name: check.anything,
  description: check.nonEmptyText,
  timezone: checkTimezone,
});

/**
 * Creates a tool that returns the date and the time, with weekday and offset, in any time zone.
 *
 * @throws {LonghandError} `invalid_options`; `invalid_tool` for an invalid name
 * @example
 * defineAgent({ name: 'planner', tools: [now({ timezone: 'Europe/Berlin' })], … })
 */
export function now(options: NowOptions = {}): Tool {
  check.assertNoProblem(checkOptions(options, ''), 'now');
  const { name = 'now', timezone: standard = 'UTC' } = options;
  const description =
    options.description ??
    `Returns the current date and time. Without \`timezone\`, in ${standard}. Use it for each question about today: you do not know the date.`;
  return defineTool({
    name,
    description,
    inputSchema: z.object({
      timezone: z.string().min(1).max(100).optional().describe('IANA time zone, such as America/New_York'),
    }),
    returns: '`time` (ISO 8601 with offset), `date`, `weekday`, `timezone`, and the same time in UTC as `utc`',
    effects: 'read',
    local: true,
    kind: 'custom',
    view: { response: '{time}', summary: '{time}' },
    execute: ({ timezone = standard }) => {
      if (!isTimezone(timezone)) {
        const name = JSON.stringify(timezone);
        throw new ToolError(`The time zone ${name} is unknown. Use a name of the IANA, such as Europe/Berlin.`);
      }
      return describeTime(new Date(), timezone);
    },
  });
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function describeTime(time: Date, timezone: string) {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: timezone, hourCycle: 'h23', weekday: 'long', timeZoneName: 'longOffset' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  } as const);
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, second, weekday } = parts;
  const date = `${year}-${month}-${day}`;
  // `GMT` alone is not an offset.
  const offset = parts.timeZoneName?.replace('GMT', '') || '+00:00';
  const utc = time.toISOString().replace(/\.\d+/, '');
  return { time: `${date}T${hour}:${minute}:${second}${offset}`, date, weekday, timezone, utc };
}
