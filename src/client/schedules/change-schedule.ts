/** Pauses, resumes, triggers and deletes a schedule: Temporal's own commands, with our errors. */

import { type Client, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client';
import { LonghandError } from '../../core/lib/index.js';
import { checkId } from '../start/check-start.js';
import { defaultNotes, toWrittenNote } from './schedule-note.js';

/** @throws {LonghandError} `schedule_not_found` */
export async function deleteSchedule(client: Client, scheduleId: string): Promise<void> {
  await changeSchedule(client, scheduleId, (handle) => handle.delete());
}

/** @throws {LonghandError} `schedule_not_found` */
export async function pauseSchedule(client: Client, scheduleId: string): Promise<void> {
  await changeSchedule(client, scheduleId, async (handle) =>
    handle.pause((await readNote(handle)) ?? defaultNotes.paused),
  );
}

/** @throws {LonghandError} `schedule_not_found` */
export async function resumeSchedule(client: Client, scheduleId: string): Promise<void> {
  await changeSchedule(client, scheduleId, async (handle) =>
    handle.unpause((await readNote(handle)) ?? defaultNotes.resumed),
  );
}

/**
 * Returns the id of the chain that it starts; null if the server does not list the chain in time.
 *
 * @throws {LonghandError} `schedule_not_found`
 */
export async function triggerSchedule(client: Client, scheduleId: string): Promise<string | null> {
  return changeSchedule(client, scheduleId, async (handle) => {
    const before = await listStartedIds(client, scheduleId);
    await handle.trigger('ALLOW_ALL');
    const end = Date.now() + listTimeoutMs;
    do {
      const started = (await listStartedIds(client, scheduleId)).findLast((id) => !before.includes(id));
      if (started !== undefined) return started;
      await new Promise((resolve) => setTimeout(resolve, listIntervalMs));
    } while (Date.now() < end);
    return null;
  });
}

/** The schedule starts its chain after it has accepted the trigger. */
const listTimeoutMs = 5_000;
const listIntervalMs = 100;

/** Ids of the chains that the server still lists, oldest first. Not with the SDK, which decodes the start as well. */
async function listStartedIds({ connection, options }: Client, scheduleId: string): Promise<readonly string[]> {
  const { info } = await connection.workflowService.describeSchedule({ namespace: options.namespace, scheduleId });
  return (info?.recentActions ?? []).flatMap(({ startWorkflowResult }) => startWorkflowResult?.workflowId ?? []);
}

async function readNote(handle: ScheduleHandle): Promise<string | null> {
  return toWrittenNote((await handle.describe()).state.note);
}

async function changeSchedule<T>(
  client: Client,
  scheduleId: string,
  change: (handle: ScheduleHandle) => Promise<T>,
): Promise<T> {
  checkId(scheduleId);
  try {
    return await change(client.schedule.getHandle(scheduleId));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new LonghandError(
      'schedule_not_found',
      `Schedule ${scheduleId} not found. \`longhand schedule list\` has all.`,
    );
  }
}

/** The SDK's error, or gRPC's code `NOT_FOUND` of a request without the SDK. */
function isNotFound(error: unknown): boolean {
  return error instanceof ScheduleNotFoundError || (error instanceof Error && 'code' in error && error.code === 5);
}
