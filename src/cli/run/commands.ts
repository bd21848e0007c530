/** What each command does, with its options as commander read them. Each resolves to an exit code. */

import { connect } from '../../client/connect.js';
import { loggedIn } from '../access/logged-in.js';
import { type StartFlags, startOptions } from '../flags/start-flags.js';
import type { Terminal } from '../terminal/terminal.js';
import { afterStart } from './after-start.js';
import { loadDefinitions, pickAgent } from './load-agents.js';
import { type RunFlags, runTask } from './run-task.js';
import { checkTask, startNamed } from './start-named.js';

/** Of commands that start an agent by its name. */
export interface AgentFlags extends StartFlags {
  readonly module?: string;
  readonly prices?: string;
}

export async function run(
  terminal: Terminal,
  name: string,
  task: string,
  flags: AgentFlags & RunFlags,
): Promise<number> {
  checkTask(task);
  return runTask(terminal, flags, async () => {
    const defined = await loadDefinitions(flags.module);
    return { ...defined, agent: pickAgent(defined.agents, name), task };
  });
}

/** Starts a chain for a worker that runs elsewhere, and leaves it to it. */
export async function start(
  terminal: Terminal,
  name: string,
  task: string,
  flags: AgentFlags & { readonly join?: boolean; readonly again?: boolean; readonly wait?: boolean },
): Promise<number> {
  checkTask(task);
  const options = startOptions({ user: loggedIn(), ...flags });
  const longhand = await connect({ taskQueue: flags.taskQueue });
  try {
    const model = flags.model ?? process.env.LONGHAND_MODEL;
    const asked = {
      ...options,
      model: model === '' ? undefined : model,
      ifExists: flags.join ? ('join' as const) : flags.again ? ('again' as const) : ('error' as const),
    };
    const chain = await startNamed(
      () => longhand.start(name, task, asked),
      ', or take that one with --join, or run anew with --again once it has ended',
    );
    return await afterStart(terminal, longhand, chain, flags);
  } finally {
    await longhand.close();
  }
}
