/**
 * Creates schedules that start an agent again and again, on Temporal's own schedules. Each run is a chain of its own: its id is the
 * schedule's id and the time.
 */

import { type Client, ScheduleAlreadyRunning } from '@temporalio/client';
import { setTenant, workflowType } from '../../contract/index.js';
import { LonghandError, omitUndefined } from '../../core/lib/index.js';
import { defaults } from '../../core/model/index.js';
import { type Duration, parseDuration, type TaskInput } from '../../options/index.js';
import { InvalidInputError, isSearchAttributeMissing } from '../errors/errors.js';
import { checkAgent, checkStart } from '../start/check-start.js';
import { createSharedAttributes, createWorkflowStart } from '../start/start.js';
import type { StartableAgent, StartOptions } from '../start/start-options.js';

/** What happens when a chain is due while the one before still runs, in Temporal's words. */
export type ScheduleOverlap = 'skip' | 'buffer-one' | 'buffer-all' | 'cancel-other' | 'terminate-other' | 'allow-all';

export const scheduleOverlaps = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
  'buffer-all': 'BUFFER_ALL',
  'cancel-other': 'CANCEL_OTHER',
  'terminate-other': 'TERMINATE_OTHER',
  'allow-all': 'ALLOW_ALL',
} as const satisfies { readonly [overlap in ScheduleOverlap]: string };

export interface ScheduleOptions extends Omit<StartOptions, 'chainId' | 'ifExists'> {
  /** When a chain is due: a cron expression such as `0 9 * * MON-FRI`. Either `cron` or `every`. */
  readonly cron?: string | undefined;
  /** When a chain is due: the time between two, such as `'1h'`. */
  readonly every?: Duration | undefined;
  /** Time zone of `cron`, such as `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string | undefined;
  /** Random delay of each start, at most this long: schedules of the same time then do not start together. Default: none. */
  readonly jitter?: Duration | undefined;
  /** No chain is due before and after these times. Default: no limit. */
  readonly startAt?: Date | undefined;
  readonly endAt?: Date | undefined;
  /** Default `skip`: a chain that waits for people holds the next ones back. */
  readonly overlap?: ScheduleOverlap | undefined;
  /**
   * How late a chain still starts that was due while the server was down: at least 10 seconds. Default: Temporal's, a year.
   */
  readonly catchupWindow?: Duration | undefined;
  /** Pauses the schedule when a chain ends as `failure` or `refused`, or at its `endAfter`. Default false. */
  readonly pauseOnFailure?: boolean | undefined;
  /** Creates the schedule paused: no chain starts until it is resumed. Default false. */
  readonly paused?: boolean | undefined;
  /** Note for people who read the schedule. Temporal stores it as plain text, also with encryption. */
  readonly note?: string | undefined;
}

/** Bytes that the server appends to the id of each chain: a dash and the time. */
const timeBytes = 21;

export interface ScheduleTarget {
  readonly client: Client;
  readonly taskQueue: string;
  /** @throws {LonghandError} `unknown_agent` */
  readonly checkKnownAgent: (agent: StartableAgent) => Promise<void>;
}

/** @throws {LonghandError} `invalid_options`, `unknown_agent`, `schedule_exists` */
export async function createSchedule(
  { client, taskQueue, checkKnownAgent }: ScheduleTarget,
  scheduleId: string,
  { agent, task }: { readonly agent: StartableAgent; readonly task: TaskInput },
  options: ScheduleOptions,
): Promise<void> {
  checkAgent(agent);
  checkStart(options);
  checkScheduleId(scheduleId);
  const { overlap = 'skip', note, paused = false, pauseOnFailure = false } = options;
  if (!Object.hasOwn(scheduleOverlaps, overlap)) {
    const known = Object.keys(scheduleOverlaps).join(', ');
    throw new InvalidInputError(`Invalid \`overlap\` ${JSON.stringify(overlap)}: expected one of ${known}.`);
  }
  const spec = toSpec(options);
  await checkKnownAgent(agent);
  const catchupWindow = parseOptional(options.catchupWindow, 'catchupWindow');
  const { input, action } = await createWorkflowStart({ agent, task }, options, rejectLargeFile);
  // The server adds the time to the id, and payloads are sealed for the id without it.
  setTenant(client.options.loadedDataConverter, scheduleId, input.tenant);
  const shared = createSharedAttributes(agent, options.tenant);
  const create = (typedSearchAttributes: typeof shared) =>
    client.schedule.create({
      scheduleId,
      spec,
      action: {
        type: 'startWorkflow',
        workflowType,
        workflowId: scheduleId,
        taskQueue,
        ...action,
        args: [...action.args],
        ...(typedSearchAttributes.length > 0 ? { typedSearchAttributes } : {}),
      },
      policies: {
        overlap: scheduleOverlaps[overlap],
        pauseOnFailure,
        ...omitUndefined({ catchupWindow }),
      },
      state: { paused, ...omitUndefined({ note }) },
    });
  try {
    await create(shared).catch((error: unknown) => {
      if (!isSearchAttributeMissing(error)) throw error;
      return create([]);
    });
  } catch (error) {
    throw toCreateError(error, scheduleId);
  }
}

function toSpec({ cron, every, timeZone, startAt, endAt, jitter }: ScheduleOptions) {
  if ((cron === undefined) === (every === undefined))
    throw new InvalidInputError("A schedule needs either `cron`, such as '0 9 * * MON-FRI', or `every`, such as '1h'.");
  checkTimes({ startAt, endAt });
  const spread = parseOptional(jitter, 'jitter');
  const common = {
    ...omitUndefined({ startAt, endAt, jitter: spread }),
  };
  const zone = timeZone === undefined ? {} : { timezone: timeZone };
  // The server keeps a calendar, and the comment of the expression: lists show it.
  if (cron !== undefined)
    return { cronExpressions: [cron.includes('#') ? cron : `${cron} #${cron}`], ...zone, ...common };
  if (timeZone !== undefined)
    throw new InvalidInputError('`timeZone` has no effect with `every`. Remove it, or use `cron`.');
  return { intervals: [{ every: parseDuration(every ?? 0, 'every') }], ...common };
}

/** Milliseconds of an option that may be absent. */
function parseOptional(value: Duration | undefined, name: string): number | undefined {
  return value === undefined ? undefined : parseDuration(value, name);
}

function checkTimes(times: Pick<ScheduleOptions, 'startAt' | 'endAt'>): void {
  for (const [name, time] of Object.entries<unknown>(times)) {
    if (time === undefined || (time instanceof Date && !Number.isNaN(time.getTime()))) continue;
    throw new InvalidInputError(`Invalid \`${name}\` ${String(time)}: expected a Date.`);
  }
  const { startAt, endAt } = times;
  if (startAt === undefined || endAt === undefined || startAt < endAt) return;
  throw new InvalidInputError('Invalid `endAt`: it is not after `startAt`.');
}

function checkScheduleId(scheduleId: string): void {
  checkStart({ chainId: scheduleId });
  const bytes = Buffer.byteLength(scheduleId);
  const limit = defaults.chainIdBytes - timeBytes;
  if (bytes <= limit) return;
  throw new InvalidInputError(
    `The schedule's id has ${bytes} bytes; the limit is ${limit}, because ids of its chains are longer. Use a shorter id.`,
  );
}

async function rejectLargeFile(): Promise<never> {
  throw new InvalidInputError('The files are too large for a schedule. Store them where a tool can read them.');
}

function toCreateError(error: unknown, scheduleId: string): unknown {
  if (error instanceof ScheduleAlreadyRunning)
    return new LonghandError(
      'schedule_exists',
      `Schedule ${scheduleId} exists. Choose another id, or delete it first: longhand schedule delete ${scheduleId}`,
    );
  // The SDK's error for times that the server rejects.
  if (!(error instanceof TypeError)) return error;
  return new InvalidInputError(`Invalid times of the schedule: ${error.message}. Check \`cron\` and \`timeZone\`.`);
}
