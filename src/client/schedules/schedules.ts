/** The schedules of a client: `longhand.schedules`. */

import type { Client } from '@temporalio/client';
import type { TaskInput } from '../../options/index.js';
import { type StartableAgent, type StartOptions, toStartable } from '../start/start-options.js';
import type { ScheduleOptions } from './create-schedule.js';
import type { AgentSchedule, ScheduleListOptions, UnreadableSchedule } from './list-schedules.js';

export interface Schedules {
  /**
   * Creates a schedule that starts an agent again and again: by `cron`, or `every` so often. Each run is a chain of its own,
   * whose id is the schedule's id and the time.
   *
   * @throws {LonghandError} `schedule_exists`, `invalid_options`, `unknown_agent`
   * @example
   * await longhand.schedules.create('daily-report', reporter, 'Sum up yesterday.', { cron: '0 9 * * MON-FRI' });
   */
  readonly create: (
    scheduleId: string,
    agent: string | StartableAgent,
    task: TaskInput,
    options: ScheduleOptions,
  ) => Promise<void>;
  /** Lists the schedules of agents, by id. */
  readonly list: (options?: ScheduleListOptions) => Promise<readonly (AgentSchedule | UnreadableSchedule)[]>;
  /** Pauses a schedule, so that no chain starts. Its note stays. @throws {LonghandError} `schedule_not_found` */
  readonly pause: (scheduleId: string) => Promise<void>;
  /** Resumes a paused schedule. @throws {LonghandError} `schedule_not_found` */
  readonly resume: (scheduleId: string) => Promise<void>;
  /**
   * Starts a chain of a schedule now, also while it is paused or another one runs. Returns the chain's id; null if the server
   * does not list it within 5 seconds. @throws {LonghandError} `schedule_not_found`
   */
  readonly trigger: (scheduleId: string) => Promise<string | null>;
  /** Deletes a schedule. Its chains stay. @throws {LonghandError} `schedule_not_found` */
  readonly delete: (scheduleId: string) => Promise<void>;
}

/** @param checkKnownAgent throws `unknown_agent` */
export function createSchedules(
  client: Client,
  taskQueue: string,
  checkKnownAgent: (agent: StartableAgent, options: Pick<StartOptions, 'awaitAgent'>) => Promise<void>,
): Schedules {
  // Loaded with the first use: most clients have no schedules.
  const loadChanges = () => import('./change-schedule.js');
  return {
    create: async (scheduleId, agent, task, options) => {
      const { createSchedule } = await import('./create-schedule.js');
      await createSchedule(
        { client, taskQueue, checkKnownAgent: (named) => checkKnownAgent(named, options) },
        scheduleId,
        { agent: toStartable(agent), task },
        options,
      );
    },
    list: async (options) => (await import('./list-schedules.js')).listSchedules(client, options),
    pause: async (scheduleId) => (await loadChanges()).pauseSchedule(client, scheduleId),
    resume: async (scheduleId) => (await loadChanges()).resumeSchedule(client, scheduleId),
    trigger: async (scheduleId) => (await loadChanges()).triggerSchedule(client, scheduleId),
    delete: async (scheduleId) => (await loadChanges()).deleteSchedule(client, scheduleId),
  };
}
