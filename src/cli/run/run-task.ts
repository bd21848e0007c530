/** `longhand run`, and what it shares with `workflow run` and `agent`: an agent on a task, with a worker in this process. */

import type { PlanTemplate } from '../../core/model/plan.js';
import { loggedIn } from '../access/open.js';
import { type StartFlags, startOptions } from '../flags/start-flags.js';
import { exitCodes } from '../flags/usage-error.js';
import { chainUrl, findServer } from '../server/server.js';
import { isInteractive, jsonLine, type Terminal } from '../terminal/terminal.js';
import { loadDefinitions, pickAgent } from './load-agents.js';
import { checkPrices, configuredModel } from './model.js';
import { type RunChainOptions, runChain } from './run-chain.js';
import { type AgentFlags, checkTask } from './start.js';

/** The agent to run, one of those that the worker has, and its task. */
export interface ToRun extends Pick<RunChainOptions, 'agents' | 'approvals' | 'secrets' | 'agent' | 'task'> {
  readonly plan?: PlanTemplate;
}

export interface RunFlags extends StartFlags {
  readonly prices?: string;
  readonly tokens?: boolean;
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

export type RunTask = typeof runTask;

/** @param load called once the flags are validated */
export async function runTask(terminal: Terminal, flags: RunFlags, load: () => Promise<ToRun>): Promise<number> {
  const options = startOptions({ user: loggedIn(), ...flags });
  checkPrices(flags.prices);
  const { plan, ...toRun } = await load();
  const { provider, model } = await configuredModel(toRun.secrets);
  const server = await findServer({ say: terminal.say });
  try {
    const result = await runChain({
      ...toRun,
      address: server.address,
      taskQueue: flags.taskQueue,
      provider,
      prices: flags.prices,
      start: { ...options, model: flags.model ?? model ?? undefined, plan },
      tokens: flags.tokens,
      live: flags.json ? null : terminal,
      people: !flags.json && isInteractive() ? 'ask' : 'tell',
      say: terminal.say,
    });
    if (flags.json) terminal.write(jsonLine(result));
    else if (server.uiUrl !== null && !server.own) terminal.write(`\n${chainUrl(server.uiUrl, result.chainId)}\n`);
    return exitCodes[result.outcome];
  } finally {
    await server.stop();
  }
}
