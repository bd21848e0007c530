/** `longhand schedule create`, `list`, `pause`, `resume`, `trigger` and `delete`. */

import {
  type AgentSchedule,
  connect,
  InvalidInputError,
  type Longhand,
  type ScheduleOverlap,
} from '../../client/index.js';
import { formatTime, toOneLine } from '../../core/lib/index.js';
import { getSystemUser, withReachableServer } from '../access/open.js';
import { type ChainFlags, toStartOptions } from '../flags/start-flags.js';
import { UsageError } from '../flags/usage-error.js';
import { getColors } from '../terminal/colors.js';
import { type Column, formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface ScheduleFlags {
  readonly json?: boolean;
}

export interface ScheduleListFlags extends ScheduleFlags {
  readonly tenant?: string;
}

export type ScheduleChange = 'pause' | 'resume' | 'trigger' | 'delete';

export interface ScheduleCreateFlags extends ChainFlags, ScheduleFlags {
  readonly cron?: string;
  readonly every?: string;
  readonly timeZone?: string;
  readonly jitter?: string;
  readonly catchupWindow?: string;
  readonly overlap: ScheduleOverlap;
  readonly note?: string;
}

export async function createSchedule(
  terminal: Terminal,
  { id, agent, task }: { readonly id: string; readonly agent: string; readonly task: string },
  { cron, every, timeZone, jitter, catchupWindow, overlap, note, json, ...flags }: ScheduleCreateFlags,
): Promise<number> {
  const { chainId: _, ...options } = toStartOptions({ user: getSystemUser(), ...flags });
  const times = { cron, every, timeZone, jitter, catchupWindow };
  const longhand = await connect({ taskQueue: flags.taskQueue, store: null });
  try {
    await longhand.schedules.create(id, agent, task, { ...options, ...times, overlap, note });
  } catch (error) {
    throw toUsageError(error);
  } finally {
    await longhand.close();
  }
  printId(terminal, id, json);
  return 0;
}

export async function changeSchedule(
  terminal: Terminal,
  change: ScheduleChange,
  id: string,
  { json = false }: ScheduleFlags,
): Promise<number> {
  if (change === 'trigger') return triggerSchedule(terminal, id, { json });
  await withReachableServer((longhand) => longhand.schedules[change](id));
  if (json) terminal.write(formatJson({ scheduleId: id }));
  else terminal.write(`${getColors(terminal).green('✓')} ${doneTexts[change]} ${toOneLine(id)}\n`);
  return 0;
}

const doneTexts = { pause: 'Paused', resume: 'Resumed', delete: 'Deleted' } as const;

/** Prints the id of the chain, as `longhand start` does. */
async function triggerSchedule(terminal: Terminal, id: string, { json }: ScheduleFlags): Promise<number> {
  const chainId = await withReachableServer((longhand) => longhand.schedules.trigger(id));
  if (json) terminal.write(formatJson({ scheduleId: id, chainId }));
  else if (chainId !== null) terminal.write(`${toOneLine(chainId)}\n`);
  else terminal.report(`Triggered ${toOneLine(id)}. Its chain is not started yet: longhand chain list will show it.`);
  return 0;
}

export async function listSchedules(terminal: Terminal, { json, tenant }: ScheduleListFlags): Promise<number> {
  const schedules = await withReachableServer((longhand) => longhand.schedules.list({ tenant }));
  terminal.write(json ? formatJson(schedules) : formatSchedules(schedules, terminal));
  return 0;
}

function printId(terminal: Terminal, scheduleId: string, json = false): void {
  terminal.write(json ? formatJson({ scheduleId }) : `${toOneLine(scheduleId)}\n`);
}

/** Invalid times are mended in the command. */
function toUsageError(error: unknown): unknown {
  return error instanceof InvalidInputError ? new UsageError(error.message) : error;
}

const columns: readonly Column[] = [
  { head: 'schedule', isId: true },
  { head: 'agent', cutTo: 18 },
  { head: 'times', cutTo: 30 },
  { head: 'overlap' },
  { head: 'next (UTC)' },
  { head: 'task', cutTo: 16 },
];
/** Only where a schedule has one. */
const noteColumn: Column = { head: 'note', cutTo: 16 };

function formatSchedules(schedules: Awaited<ReturnType<Longhand['schedules']['list']>>, terminal: Terminal): string {
  if (schedules.length === 0) return 'No schedule starts an agent.\n';
  const c = getColors(terminal);
  const cells = schedules.map((schedule) => [
    { text: schedule.scheduleId, paint: c.bold },
    ...('why' in schedule
      ? [...['', '', '', ''].map((text) => ({ text })), { text: `unreadable: ${schedule.why}` }]
      : formatCells(schedule)),
  ]);
  const hasNote = schedules.some((schedule) => 'note' in schedule && schedule.note !== null);
  return formatTable(hasNote ? [...columns, noteColumn] : columns, cells, terminal);
}

function formatCells({ agent, task, times, timeZone, overlap, note, paused, nextAt }: AgentSchedule) {
  const zone = timeZone === 'UTC' ? '' : ` ${timeZone}`;
  const next = nextAt === null ? '–' : formatTime(nextAt);
  return [agent, `${times.join(', ')}${zone}`, overlap, paused ? 'paused' : next, task, note ?? ''].map((text) => ({
    text,
  }));
}
