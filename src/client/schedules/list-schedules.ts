/** Lists the schedules that start agents, whichever program created them. */

import { type Client, type ScheduleDescription, ScheduleNotFoundError } from '@temporalio/client';
import { workflowType } from '../../contract/index.js';
import { isObject } from '../../core/lib/index.js';
import { createSnippetMasker } from '../../core/view/index.js';
import { explainUnreadable, mapEach } from '../read/many-chains.js';
import { type ScheduleOverlap, scheduleOverlaps } from './create-schedule.js';
import { toWrittenNote } from './schedule-note.js';

export interface AgentSchedule {
  readonly scheduleId: string;
  readonly agent: string;
  /** In one line, with secrets masked, as the note. */
  readonly task: string;
  readonly tenant: string | null;
  /** When chains are due: `every 1 h`, or cron expressions. Empty for calendars of another program. */
  readonly times: readonly string[];
  readonly timeZone: string;
  readonly overlap: ScheduleOverlap;
  readonly note: string | null;
  readonly paused: boolean;
  /** Milliseconds since 1970; null when no chain is due any more. */
  readonly nextAt: number | null;
  /** Chains that the server still lists for it, newest first. */
  readonly chainIds: readonly string[];
}

/** A schedule that cannot be read: its keys are missing. */
export interface UnreadableSchedule {
  readonly scheduleId: string;
  readonly why: string;
}

export interface ScheduleListOptions {
  /** Only schedules of this tenant, and none that cannot be read. */
  readonly tenant?: string | undefined;
}

/** Lists the schedules of agents by id. */
export async function listSchedules(
  client: Client,
  { tenant }: ScheduleListOptions = {},
): Promise<readonly (AgentSchedule | UnreadableSchedule)[]> {
  const schedules: (AgentSchedule | UnreadableSchedule)[] = [];
  const ids = await listScheduleIds(client);
  for await (const schedule of mapEach(ids, (id) => readSchedule(client, id))) {
    if (schedule === null) continue;
    if (tenant === undefined || ('tenant' in schedule && schedule.tenant === tenant)) schedules.push(schedule);
  }
  return schedules;
}

async function listScheduleIds({ connection, options }: Client): Promise<readonly string[]> {
  const ids: string[] = [];
  let nextPageToken: Uint8Array | null = null;
  do {
    // The SDK's own list decodes memos, which may be sealed with other keys.
    const page: Awaited<ReturnType<typeof connection.workflowService.listSchedules>> =
      await connection.workflowService.listSchedules({
        namespace: options.namespace,
        maximumPageSize: 100,
        ...(nextPageToken === null ? {} : { nextPageToken }),
      });
    for (const { scheduleId, info } of page.schedules) {
      if (info?.workflowType?.name === workflowType) ids.push(scheduleId ?? '');
    }
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : null;
  } while (nextPageToken !== null);
  return ids.sort();
}

/** Returns null for a schedule that was deleted in the meantime. */
async function readSchedule(client: Client, scheduleId: string): Promise<AgentSchedule | UnreadableSchedule | null> {
  try {
    return toAgentSchedule(await client.schedule.getHandle(scheduleId).describe());
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    const why = explainUnreadable(error);
    if (why === null) throw error;
    return { scheduleId, why };
  }
}

function toAgentSchedule({ scheduleId, action, spec, policies, state, info }: ScheduleDescription): AgentSchedule {
  const [input] = action.args ?? [];
  const { agent, task, tenant }: { agent?: unknown; task?: unknown; tenant?: unknown } = isObject(input) ? input : {};
  const masker = createSnippetMasker();
  const note = toWrittenNote(state.note);
  const overlap = Object.entries(scheduleOverlaps).find(([, name]) => name === policies.overlap)?.[0];
  return {
    scheduleId,
    agent: typeof agent === 'string' ? agent : '',
    task: typeof task === 'string' ? masker.line(task, maxTextLength) : '',
    tenant: typeof tenant === 'string' ? tenant : null,
    times: [
      ...(spec.intervals ?? []).map(({ every }) => formatInterval(every)),
      ...(spec.calendars ?? []).flatMap(({ comment }) => (comment ? [comment.trim()] : [])),
    ],
    timeZone: spec.timezone || 'UTC',
    overlap: (overlap ?? 'skip') as ScheduleOverlap,
    note: note === null ? null : masker.line(note, maxTextLength),
    paused: state.paused,
    nextAt: info.nextActionTimes[0]?.getTime() ?? null,
    chainIds: info.recentActions.map((recent) => recent.action.workflow.workflowId).reverse(),
  };
}

const maxTextLength = 400;

const units = [
  ['d', 24 * 60 * 60_000],
  ['h', 60 * 60_000],
  ['min', 60_000],
] as const;

function formatInterval(ms: number): string {
  const [name, unit] = units.find(([, each]) => ms % each === 0) ?? (['s', 1_000] as const);
  return `every ${ms / unit} ${name}`;
}
