/** `longhand schedule …`: agents that start again and again. The module is loaded when a command is called. */

import { type Command, Option } from 'commander';
import { addAwaitAgentFlag, addChainFlags, addContextFlags } from '../flags/start-flags.js';
import type { CommandAction } from '../terminal/terminal.js';
import type { ScheduleChange, ScheduleCreateFlags, ScheduleFlags } from './schedules.js';

export function addScheduleCommands(program: Command, act: CommandAction): void {
  const schedule = program
    .command('schedule')
    .description('create, list, pause, resume, trigger and delete schedules that start an agent');
  const create = schedule
    .command('create')
    .argument('<id>', 'id of the schedule; the ids of its chains are this and the time')
    .argument('<agent>', 'name of the agent')
    .argument('<task>', 'the task of each chain')
    .description('start an agent at each time of a schedule')
    .option('--cron <expression>', "when: a cron expression, such as '0 9 * * MON-FRI'")
    .option('--every <time>', 'when: the time between two chains, such as 30m, 1h or 1d')
    .option('--time-zone <name>', 'time zone of --cron, such as Europe/Berlin (default: UTC)')
    .option('--jitter <time>', 'random delay of each start, at most this long, such as 5m')
    .option('--catchup-window <time>', 'how late a chain still starts that was due while the server was down')
    .addOption(
      new Option('--overlap <policy>', 'when the chain before still runs')
        .choices(['skip', 'buffer-one', 'buffer-all', 'cancel-other', 'terminate-other', 'allow-all'])
        .default('skip'),
    )
    .option('--note <text>', 'note for people who read the schedule');
  addAwaitAgentFlag(addContextFlags(addChainFlags(create)))
    .option('--json', 'print JSON')
    .action(
      act(
        () => async (terminal, id: string, agent: string, task: string, flags: ScheduleCreateFlags) =>
          (await import('./schedules.js')).createSchedule(terminal, { id, agent, task }, flags),
      ),
    );
  schedule
    .command('list')
    .description('list the schedules of agents')
    .option('--tenant <name>', 'only schedules of this tenant')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./schedules.js')).listSchedules));
  for (const [change, description] of changes) {
    schedule
      .command(change)
      .argument('<id>', 'id of the schedule')
      .description(description)
      .option('--json', 'print JSON')
      .action(
        act(
          () => async (terminal, id: string, flags: ScheduleFlags) =>
            (await import('./schedules.js')).changeSchedule(terminal, change, id, flags),
        ),
      );
  }
}

const changes: readonly (readonly [ScheduleChange, string])[] = [
  ['pause', 'pause a schedule: no chain starts until it is resumed'],
  ['resume', 'resume a paused schedule'],
  ['trigger', 'start a chain of a schedule now'],
  ['delete', 'delete a schedule; its chains stay'],
];
